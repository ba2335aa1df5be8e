import { type Command, Option } from 'commander';
import { createContext } from '../context.ts';

/** `mcp` and the commands below it. */
export function addMcpCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');

  const mcp = program
    .command('mcp')
    .summary('connect agents, and see what they did')
    .description('connect an agent that starts its own servers (stdio) to the running service')
    .action(async () => (await import('./mcp.ts')).serveStdio(await createContext()));
  mcp
    .command('config [client]')
    .description(
      'print the configuration to paste, for claude-code, claude-desktop, lm-studio, windsurf, zed, vscode, cursor, codex or gemini',
    )
    .option('--print <form>', 'json: the configuration alone, for any program that starts its servers itself')
    .option('--scope <scopes>', 'permissions of the agent, separated by commas; power and command only if named here')
    .option('--renew', 'replace the token created for this client before')
    .action(async (client, options) =>
      (await import('./mcp-config.ts')).printMcpConfig(await createContext(), client, options),
    );

  mcp
    .command('log')
    .description('list what agents did: when, which agent, which tool, who agreed, and the outcome')
    .option('--all', 'list the calls that changed nothing as well')
    .addOption(json())
    .action(async (options) => (await import('./mcp-log.ts')).printAgentLog(await createContext(), options));
}
