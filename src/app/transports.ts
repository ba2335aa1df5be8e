import { budgets } from '../access/limits/budgets.ts';
import { createUnreadBudget } from '../access/limits/unread-budget.ts';
import { createRouteTable } from '../core/route-table.ts';
import type { AgentKit } from '../core/tool.ts';
import type { RunningTransport, TransportDefinition, TransportParts } from '../core/transport.ts';
import { features } from '../features/index.ts';
import { linkAddresses } from '../host/network.ts';
import { withSparingErrors } from '../lib/rate-limited-log.ts';
import { getModule } from '../tools/get-module/get-module.ts';
import { getOverview } from '../tools/get-overview/get-overview.ts';
import { instructions } from '../tools/instructions.ts';
import { listConnections } from '../tools/list-connections/list-connections.ts';
import { listProcesses } from '../tools/list-processes/list-processes.ts';
import { prompts } from '../tools/prompts.ts';
import { waitFor } from '../tools/wait-for/wait-for.ts';
import { whatHappened } from '../tools/what-happened/what-happened.ts';
import { discoveryTransport } from '../transports/discovery/discovery.transport.ts';
import { entitiesTransport } from '../transports/entities/entities.transport.ts';
import { glancesTransport } from '../transports/glances/glances.transport.ts';
import { commandsTransport } from '../transports/http/commands.transport.ts';
import { httpTransport } from '../transports/http/http.transport.ts';
import { mcpTransport } from '../transports/mcp/mcp.transport.ts';
import { metricsTransport } from '../transports/metrics/metrics.transport.ts';
import { mqttTransport } from '../transports/mqtt/mqtt.transport.ts';
import { otlpTransport } from '../transports/otlp/otlp.transport.ts';
import { webSocketTransport } from '../transports/ws/ws.transport.ts';

/** What agents get besides the actions. */
export const agentKit: AgentKit = {
  tools: [getOverview, getModule, listProcesses, listConnections, waitFor, whatHappened],
  prompts,
  instructions,
};

const advertising = features.find((feature) => feature.advertising !== null)?.advertising ?? {};

/** Every way in and out of the service. The ports open last, when everything behind them is ready. */
const transports: readonly TransportDefinition[] = [
  webSocketTransport,
  mcpTransport(agentKit),
  metricsTransport(linkAddresses),
  mqttTransport,
  entitiesTransport,
  discoveryTransport(advertising),
  otlpTransport,
  glancesTransport,
  httpTransport,
  commandsTransport,
];

export interface Transports {
  /** The actual port without TLS; null: not served. */
  port: number | null;
  /** The port with TLS; null: not served. */
  securePort: number | null;
  /** The local socket for commands of this user; null: it could not be opened. */
  socket: string | null;
  stop(): Promise<void>;
}

export async function startTransports(parts: Omit<TransportParts, 'routeTable'>): Promise<Transports> {
  const routeTable = createRouteTable(createUnreadBudget(budgets.all.unreadBytes));
  const running: RunningTransport[] = [];
  const stop = async () => {
    await Promise.all(running.map((transport) => transport.stop()));
  };
  try {
    for (const { name, start } of transports) {
      const log = withSparingErrors(parts.log, name, parts.host.clock);
      running.push(start({ ...parts, log, routeTable }));
    }
    for (const { ready } of running) if (ready) await ready;
  } catch (error) {
    void stop();
    throw error;
  }
  return {
    port: routeTable.listener?.plain?.port ?? null,
    securePort: routeTable.listener?.securePort() ?? null,
    socket: routeTable.commands,
    stop,
  };
}
