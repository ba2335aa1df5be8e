import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Mode } from '../../harness/agents.ts';
import { commandLine, type RunningHostler, serviceEnvironment } from './service.ts';

export interface Way {
  mode: Mode;
  over: 'http' | 'stdio';
  compiled?: boolean;
  token?: string;
  options?: ClientOptions;
}

/** The official client, by any of its ways. */
export async function connectTo(
  hostler: RunningHostler,
  { mode, over, compiled = false, token, options }: Way,
): Promise<Client> {
  const client = new Client({ name: 'tester', version: '1' }, { ...options, versionNegotiation: { mode } });
  if (over === 'http') {
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${hostler.base}/api/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${token ?? hostler.token}` } },
      }),
    );
    return client;
  }
  const [command, ...args] = commandLine(compiled);
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args, 'mcp'],
      env: serviceEnvironment(hostler.directory, {}),
      stderr: 'pipe',
    }),
  );
  return client;
}
