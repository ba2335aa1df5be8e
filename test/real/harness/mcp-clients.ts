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

const clientOf = (mode: Mode, options?: ClientOptions) =>
  new Client({ name: 'tester', version: '1' }, { ...options, versionNegotiation: { mode } });

/** The official client, connected to a service anywhere. */
export async function connectOverHttp(
  { base, token }: Pick<RunningHostler, 'base' | 'token'>,
  mode: Mode,
  options?: ClientOptions,
): Promise<Client> {
  const client = clientOf(mode, options);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/api/mcp`), { requestInit }));
  return client;
}

/** The official client, over any transport. */
export async function connectTo(
  hostler: RunningHostler,
  { mode, over, compiled = false, token, options }: Way,
): Promise<Client> {
  if (over === 'http')
    return await connectOverHttp({ base: hostler.base, token: token ?? hostler.token }, mode, options);
  const client = clientOf(mode, options);
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

export interface CallOutcome {
  isError?: boolean | undefined;
  content?: unknown;
  structuredContent?: unknown;
}

/** Repeats the call while the user is being asked, as an agent does. */
export async function callUntilAnswered(
  client: Client,
  name: string,
  given: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  for (;;) {
    const call = client.callTool({ name, arguments: given }, signal === undefined ? {} : { signal });
    const result: CallOutcome = await call.catch((error: Error) => ({ isError: true, content: error.message }));
    if (!JSON.stringify(result.content).includes('Approval is pending')) return result;
  }
}
