import { messageOf } from '@hostler/mcp/messages.ts';
import type { Audit } from '../../access/audit/audit.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { neverPaired } from '../../access/pairing/grants.ts';
import type { AskUser } from '../../core/agent.ts';
import { createJobQueue } from '../../core/job-queue.ts';
import type { HistoryQuery, HistoryResult } from '../../core/readings/history.ts';
import { hasScope } from '../../core/require-scope.ts';
import type { Service } from '../../core/service.ts';
import type { AgentKit, ToolContext } from '../../core/tool.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { createCallLimits } from './calls.limits.ts';
import { createConsent } from './consent.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createWatches } from './endpoint.watches.ts';
import { createCatalogue } from './server.catalogue.ts';
import { createResources } from './server.resources.ts';
import { createMakeServer } from './server.ts';

export interface AgentParts {
  service: Pick<
    Service,
    'history' | 'version' | 'modules' | 'store' | 'actions' | 'perform' | 'unavailable' | 'paused' | 'clients'
  >;
  settings(): Settings;
  kit: AgentKit;
  askUser: AskUser;
  audit: Audit;
  failedUnits: ToolContext['failedUnits'];
  log: Log;
  clock: Clock;
}

/** Assembles everything behind the MCP endpoint. */
export function createAgents(parts: AgentParts, lasting: (count: number) => void): Endpoint {
  const { service, settings, kit, clock, log } = parts;
  const { store } = service;
  const { tools } = kit;
  const resources = createResources({ service, tools, settings });
  const histories = createJobQueue<HistoryResult>({
    atOnce: 1,
    inAll: budgets.all.histories,
    perCaller: budgets.caller.histories,
    full: 'Too much of the history is being read; try again',
  });
  const readHistory = (tokenId: string, query: HistoryQuery) =>
    histories.run(JSON.stringify(query), { tokenId, signal: new AbortController().signal }, async () => {
      // Other work runs before each read: a long one takes some 30 ms.
      await new Promise<void>((resolve) => void clock.after(0, resolve));
      return await service.history.read(query);
    });
  let streams = 0;
  const count = () => lasting(streams + consent.count());
  const consent = createConsent({ ...parts, changed: count });
  const catalogue = createCatalogue({ service, tools, settings });
  const limits = createCallLimits(clock.monotonic);
  const missingScope: Endpoint['missingScope'] = async (body, caller) => {
    const called = messageOf(body);
    if (called?.kind !== 'request' || called.method !== 'tools/call') return null;
    const name = String(called.params?.name);
    const tool = (await catalogue.tools()).get(name);
    const [needed] = tool?.scopes ?? [];
    if (tool === undefined || needed === undefined || needed === neverPaired) return null;
    if (hasScope(caller, ...tool.scopes)) return null;
    // Refused calls above the limit are not recorded: they must not displace the others.
    if (limits.refuse(caller.tokenId) !== null) return needed;
    const decision = `forbidden: the scope ${needed} is missing`;
    parts.audit(
      { client: caller.tokenName, token: caller.tokenName, tool: name, arguments: null, decision },
      'reading',
    );
    return needed;
  };
  const makeServer = createMakeServer({
    ...parts,
    version: service.version,
    catalogue,
    resources,
    consent,
    limits,
    machine(caller) {
      const view = store.seenBy(caller, 'agent');
      return {
        modules: store.names,
        read: async (module) => await view.get(module),
        describe: view.describe,
        listen: (module, listener) => view.listen(module, listener, { live: true }),
        history: { read: (query) => readHistory(caller.tokenId, query) },
        failedUnits: parts.failedUnits,
        now: clock.now,
        after: clock.after,
      };
    },
  });
  const watches = createWatches({ store, modulesOf: resources.modulesOf, clock, log });
  const endpoint = createEndpoint({
    ...{ makeServer, watches, clock },
    lasting(open) {
      streams = open;
      count();
    },
  });
  const takeAway = service.clients.add(endpoint.clients);
  return {
    ...endpoint,
    missingScope,
    admit(admits) {
      endpoint.admit(admits);
      consent.admit(admits);
    },
    close() {
      takeAway();
      consent.close();
      return endpoint.close();
    },
  };
}
