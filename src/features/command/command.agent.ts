import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { quoted } from '../../lib/quoted.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { CommandOutput } from './command.schema.ts';

/** Commands that the settings offer to agents, separately from those that clients may run. */
const offered = ({ mcp, commands }: Settings) => commands.allowlist.filter(({ id }) => mcp.commands.includes(id));

const offeredIds = (settings: Settings) => offered(settings).map(({ id }) => id);

const runCommand: AgentTool = {
  name: 'run_command',
  title: 'Run a command',
  description: 'Runs a program that the user allows agents to run. Asks the user first.',
  input: async ({ settings }) => (await import('./command.schema.ts')).runCommandInputSchema(offeredIds(settings)),
  output: async () => (await import('./command.schema.ts')).runCommandOutputSchema,
  destructive: true,
  idempotent: false,
  byDefault: true,
  missing: (settings) =>
    offeredIds(settings).length > 0
      ? null
      : `run_command needs ids of commands.allowlist in the setting mcp.commands: ${ownCommand(`settings set mcp.commands '["ID"]'`)}`,
  prompt: ({ command_id }, settings) => runPrompt(String(command_id), settings),
  // A command has a limit of five minutes.
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

/** Shows the command itself and not only its id: the user agrees to what will run. */
function runPrompt(id: string, settings: Settings): string {
  const command = offered(settings).find((candidate) => candidate.id === id);
  if (command === undefined) return `An agent wants to run ${quoted(id)}, which is no longer offered to agents.`;
  return [
    `An agent wants to run the command ${quoted(id)}:`,
    [command.command, ...command.arguments].map(word).join(' '),
    ...(command.workingDir === '' ? [] : [`in the directory ${word(command.workingDir)}`]),
  ].join('\n');
}

/** Quoted as in a shell, so that the end of each argument is visible. */
function word(text: string): string {
  const shown = quoted(text);
  return /^[\p{L}\p{N}@%+=:,./~_-]+$/u.test(text) && shown === `"${text}"` ? text : shown;
}
