import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { quoted } from '../../lib/quoted.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { CommandOutput } from './command.schema.ts';

/** Somebody named these for agents; what is allowed to people at other doors is not meant by that. */
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
  offered: (settings) => offeredIds(settings).length > 0,
  question: ({ command_id }, settings) => runQuestion(String(command_id), settings),
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

/** Not the id alone: what will run is what the user agrees to. */
function runQuestion(id: string, settings: Settings): string {
  const command = offered(settings).find((candidate) => candidate.id === id);
  if (command === undefined) return `An agent wants to run ${quoted(id)}, which is no longer offered to agents.`;
  return [
    `An agent wants to run the command ${quoted(id)}:`,
    [command.command, ...command.arguments].map(word).join(' '),
    ...(command.workingDir === '' ? [] : [`in the directory ${word(command.workingDir)}`]),
  ].join('\n');
}

/** As one would type it, so that one sees where an argument ends. */
function word(text: string): string {
  const shown = quoted(text);
  return /^[\p{L}\p{N}@%+=:,./~_-]+$/u.test(text) && shown === `"${text}"` ? text : shown;
}
