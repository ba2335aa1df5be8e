import type { CommandDefinition } from '../../core/command.ts';
import { agentPrograms } from '../../lib/agent-programs.ts';
import type { CliContext } from '../context.ts';

export const mcpCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'mcp',
    summary: 'connect agents, and list what they did',
    description: 'connect an agent that starts its own servers (stdio) to the running service',
    place: { group: 'access', rank: 6 },
    run: async () => (await import('./mcp.ts')).serveStdio,
  },
  {
    usage: 'mcp config [client]',
    description: `print the configuration to paste, for ${agentPrograms.slice(0, -1).join(', ')} or ${agentPrograms.at(-1)}`,
    options: [
      {
        flags: '--print <form>',
        description: 'json: the configuration alone, for any program that starts its servers itself',
      },
      {
        flags: '--scope <scopes>',
        description: 'permissions of the agent, separated by commas; power and command only if named here',
      },
      {
        flags: '--add-scope <scopes>',
        description: 'permissions that the agent gets as well; its token and its configuration stay',
      },
      { flags: '--renew', description: 'replace the token created for this client before' },
    ],
    examples: [
      ['mcp config claude-code', 'what to run or paste there'],
      ['mcp config claude-code --add-scope power', 'it may ask to restart the machine'],
    ],
    run: async () => (await import('./mcp-config.ts')).printMcpConfig,
  },
  {
    usage: 'mcp client <name>',
    description: 'make the id and the secret of an OAuth client that cannot register itself, such as Home Assistant',
    options: [
      {
        flags: '--redirect <address>',
        description: 'where the browser returns to, as the client says',
        isRequired: true,
      },
    ],
    json: 'print JSON instead of lines',
    examples: [
      ['mcp client home-assistant --redirect https://my.home-assistant.io/redirect/oauth', 'for its integration'],
    ],
    run: async () => (await import('./mcp-client.ts')).printMcpClient,
  },
  {
    usage: 'mcp log',
    description:
      'list what agents did and what they were refused: when, which agent, which tool, who agreed, and the outcome',
    options: [{ flags: '--all', description: 'list the calls that changed nothing as well' }],
    json: 'print JSON instead of a table',
    run: async () => (await import('./mcp-log.ts')).printAgentLog,
  },
];
