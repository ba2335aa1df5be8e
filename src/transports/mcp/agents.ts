import type { Audit } from '../../access/audit.ts';
import type { AskUser } from '../../core/agent.ts';
import type { Service } from '../../core/service.ts';
import type { AgentKit } from '../../core/tool.ts';
import type { Log } from '../../lib/log.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { createMakeServer } from './agent-server.ts';
import { createCatalogue } from './catalogue.ts';
import { createConsent } from './consent.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createCallLimits } from './limits.ts';
import { createResources } from './resources.ts';
import { createWatches } from './watches.ts';

export interface AgentParts {
  service: Pick<Service, 'history' | 'version' | 'modules' | 'store' | 'actions' | 'perform' | 'unavailable'>;
  settings(): Settings;
  kit: AgentKit;
  askUser: AskUser;
  audit: Audit;
  log: Log;
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
}

/** Everything behind the door for agents, put together. */
export function createAgents(parts: AgentParts, lasting: (count: number) => void): Endpoint {
  const { service, settings, kit, monotonic, after, now, log } = parts;
  const { store } = service;
  const { tools } = kit;
  const resources = createResources({ service, tools, settings });
  const makeServer = createMakeServer({
    ...parts,
    version: service.version,
    catalogue: createCatalogue({ service, tools, settings }),
    resources,
    consent: createConsent(parts),
    limits: createCallLimits(monotonic),
    machine: {
      modules: store.names,
      read: async (module) => await store.get(module),
      describe: store.describe,
      listen: store.listen,
      history: service.history,
      now,
      after,
    },
  });
  const watches = createWatches({ store, modulesOf: resources.modulesOf, monotonic, after, log });
  return createEndpoint({ makeServer, watches, log, monotonic, after, lasting });
}
