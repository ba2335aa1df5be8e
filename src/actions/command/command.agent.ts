import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { CommandOutput } from './command.schema.ts';

/** Somebody named these for agents; what is allowed to people at other doors is not meant by that. */
const offeredIds = ({ mcp, commands }: Settings) =>
  commands.allowlist.map(({ id }) => id).filter((id) => mcp.commands.includes(id));

const runCommand: AgentTool = {
  name: 'run_command',
  title: 'Run a command',
  description: 'Runs one of the programs that the user prepared for agents. Asks the user of the machine first.',
  input: async ({ settings }) =>
    (await import('./command.agent.schema.ts')).runCommandInputSchema(offeredIds(settings)),
  output: async () => (await import('./command.agent.schema.ts')).runCommandOutputSchema,
  destructive: true,
  idempotent: false,
  byDefault: true,
  offered: (settings) => offeredIds(settings).length > 0,
  question: ({ command_id }) => `An agent wants to run the command ${JSON.stringify(command_id)}.`,
  // A command itself has five minutes.
  deadlineMs: 310_000,
  longTexts: ['output', 'errors'],
};

export const commandUse: AgentUse<CommandOutput> = {
  tool: runCommand,
  toInput: ({ command_id }) => ({ commandID: command_id }),
  toOutput: ({ data: { exitCode, stdout, stderr, error } }) => ({
    exit_code: exitCode,
    output: stdout,
    errors: stderr,
    ...(error === undefined ? {} : { problem: error }),
  }),
};
