import { agentPrograms } from '../../../src/lib/agent-programs.ts';
import { Card } from '../../components/card.tsx';
import { basePath } from '../../state/base-path.ts';
import { useModule } from '../../state/live.ts';
import { machineAddress } from '../../state/machine-address.ts';
import { ownCommand } from '../../state/own-command.ts';
import { MqttCard } from './connections-mqtt.tsx';
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
            Add the integration “System Bridge” with the address <code>{hostname}</code>, the port <code>{port}</code>{' '}
            and a token from Access.
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
