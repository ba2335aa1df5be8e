import type { AgentKit } from '../core/tool.ts';
import { getModule } from '../tools/get-module/get-module.ts';
import { getOverview } from '../tools/get-overview/get-overview.ts';
import { instructions } from '../tools/instructions.ts';
import { listConnections } from '../tools/list-connections/list-connections.ts';
import { listProcesses } from '../tools/list-processes/list-processes.ts';
import { prompts } from '../tools/prompts.ts';
import { waitFor } from '../tools/wait-for/wait-for.ts';
import { whatHappened } from '../tools/what-happened/what-happened.ts';

/** What agents get besides the actions. */
export const agentKit: AgentKit = {
  tools: [getOverview, getModule, listProcesses, listConnections, waitFor, whatHappened],
  prompts,
  instructions,
};
