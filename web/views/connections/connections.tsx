import { agentPrograms } from '../../../src/lib/agent-programs.ts';
import type { MqttStatus } from '../../../src/transports/mqtt/mqtt.schema.ts';
import { Card } from '../../components/card.tsx';
import { Facts } from '../../components/fact-list.tsx';
import { When } from '../../components/time.tsx';
import { basePath } from '../../state/base-path.ts';
import { useModule } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
import { machineAddress } from '../../state/machine-address.ts';
import { ownCommand } from '../../state/own-command.ts';
import { scopeDescription } from '../../state/scopes.ts';
import { send } from '../../state/session.ts';
import { Machines } from './machines.tsx';

/** What can be connected to this service, and how. */
export function Connections() {
  const { origin, hostname, port } = machineAddress(location, useModule('system'));
  return (
    <>
      <Machines />
      <h2 class="section">Clients</h2>
      <div class="lists">
        <Card title="Home Assistant" icon="plug">
          <p>
            Add the integration “Hostler” (<code>integrations/home-assistant</code>), which asks for access, or “System
            Bridge”, which Home Assistant ships, with a token from Access. The address is <code>{hostname}</code>, the
            port <code>{port}</code>.
          </p>
          <p class="small">Home Assistant discovers Hostler if it announces itself on the network.</p>
        </Card>
        <MqttCard />
        <Card title="Prometheus" icon="timeline">
          <p>Metrics in the OpenMetrics format; a token with the scope read is required:</p>
          <pre>{`${origin}${basePath}/metrics`}</pre>
        </Card>
        <Card title="Agents (MCP)" icon="agent">
          <p>On the machine itself, each of these prints what to run or paste in the agent’s program:</p>
          <pre>{agentPrograms.map((client) => ownCommand(`mcp config ${client}`)).join('\n')}</pre>
          <p>For any other client, with a token you created:</p>
          <pre>
            {JSON.stringify(
              {
                mcpServers: {
                  hostler: { url: `${location.origin}${basePath}/api/mcp`, headers: { Authorization: 'Bearer …' } },
                },
              },
              null,
              2,
            )}
          </pre>
          <p class="small">Only agents on the machine itself are accepted, unless mcp.allowRemote is set there.</p>
        </Card>
      </div>
    </>
  );
}

/** The MQTT broker, what is published there, and what its clients may do. */
function MqttCard() {
  const load = async () => (await send('GET', '/api/mqtt')) as MqttStatus;
  const { data: now, problem } = useLoaded(load, { everyMs: 5000 });
  return (
    <Card title="MQTT" icon="network">
      {problem === '' ? null : <p class="problem">{problem}</p>}
      {now === null ? null : now.enabled ? <Broker status={now} /> : <Off />}
    </Card>
  );
}

function Off() {
  return (
    <>
      <p>
        Connects this machine to a broker, for Home Assistant and others that cannot reach it directly. Run this on the
        machine itself:
      </p>
      <pre>{ownCommand('mqtt setup')}</pre>
    </>
  );
}

function Broker({ status }: { status: MqttStatus }) {
  const granted = status.scopes.filter((scope) => scope !== 'read');
  return (
    <>
      {status.problem === null ? null : <p class="problem">{status.problem}</p>}
      <Facts
        of={[
          ['Broker', `${status.broker} ${status.encrypted ? '(encrypted)' : '(not encrypted)'}`],
          [
            'Connected',
            status.connected ? (
              <>
                <When at={status.since} />, MQTT {status.protocol}
              </>
            ) : (
              <>
                no, next attempt <When at={status.retry_at} />
              </>
            ),
          ],
          ['Topics', <code>{status.topic}/…</code>],
          ['Published', `${status.modules.join(', ')}; ${status.messages} messages`],
          ['Entities', status.discovery === 'off' ? 'not announced' : `${status.entities} announced to Home Assistant`],
          ['Controls', status.controls.length === 0 ? 'none' : status.controls.join(', ')],
        ]}
      />
      {granted.length === 0 ? (
        <p class="small">Nothing can be controlled through the broker: mqtt.scopes grants reading only.</p>
      ) : (
        <p class="notice">
          Every client that can publish at the broker can: {granted.map(scopeDescription).join('; ')}.
        </p>
      )}
    </>
  );
}
