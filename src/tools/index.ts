import type { AgentKit } from '../core/tool.ts';
import { getModule } from './get-module/get-module.ts';
import { getOverview } from './get-overview/get-overview.ts';
import { instructions } from './instructions.ts';
import { listConnections } from './list-connections/list-connections.ts';
import { listProcesses } from './list-processes/list-processes.ts';
import { prompts } from './prompts.ts';
import { waitFor } from './wait-for/wait-for.ts';
import { whatHappened } from './what-happened/what-happened.ts';

/** What agents get besides the actions. */
export const agentKit: AgentKit = {
  tools: [getOverview, getModule, listProcesses, listConnections, waitFor, whatHappened],
  prompts,
  instructions,
};
