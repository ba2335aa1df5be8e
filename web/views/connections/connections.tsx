import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { agentPrograms } from '../../../src/lib/agent-programs.ts';
import type { MqttStatus } from '../../../src/transports/mqtt/mqtt.schema.ts';
import { Card } from '../../components/card.tsx';
import { When } from '../../components/time.tsx';
import { basePath } from '../../state/base-path.ts';
import { useModule } from '../../state/live.ts';
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

const everyMs = 5000;

/** The MQTT broker, what is published there, and what its clients may do. */
function MqttCard() {
  const status = useSignal<MqttStatus | null>(null);
  const failure = useSignal('');
  const refresh = async () => {
    try {
      status.value = (await send('GET', '/api/mqtt')) as MqttStatus;
      failure.value = '';
    } catch (thrown) {
      failure.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => {
      if (!document.hidden) void refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  const { value: now } = status;
  return (
    <Card title="MQTT" icon="network">
      {failure.value === '' ? null : <p class="problem">{failure.value}</p>}
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
      <dl>
        <Fact name="Broker">
          {status.broker} {status.encrypted ? '(encrypted)' : '(not encrypted)'}
        </Fact>
        <Fact name="Connected">
          {status.connected ? (
            <>
              <When at={status.since} />, MQTT {status.protocol}
            </>
          ) : (
            <>
              no, next attempt <When at={status.retry_at} />
            </>
          )}
        </Fact>
        <Fact name="Topics">
          <code>{status.topic}/…</code>
        </Fact>
        <Fact name="Published">
          {status.modules.join(', ')}; {status.messages} messages
        </Fact>
        <Fact name="Entities">
          {status.discovery === 'off' ? 'not announced' : `${status.entities} announced to Home Assistant`}
        </Fact>
        <Fact name="Controls">{status.controls.length === 0 ? 'none' : status.controls.join(', ')}</Fact>
      </dl>
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

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
