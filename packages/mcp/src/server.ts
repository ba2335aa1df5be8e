import { metaIn } from './envelope.ts';
import { type InputRequired, isInputRequired, requireCapabilities } from './input-required.ts';
import { codes, type Id, McpError, type Params, type RequestMessage, toMcpError } from './messages.ts';
import { paramShapes } from './params.ts';
import { isObject } from './shape.ts';

/** What a client is served: in the older protocol for a session, in the newer one for a request. */
export interface McpServer {
  info: { name: string; title?: string; version: string };
  capabilities: Params;
  instructions(): string;
  methods: ReadonlyMap<string, Method>;
  /** Milliseconds for which a client may keep the result of a method; missing: 0. */
  ttlMs?: Readonly<Record<string, number>>;
  /** The content of a state that this server gave out. Throws if it did not. */
  openState?(state: string, method: string): unknown;
  /** Called with errors that the client does not get to see. */
  failed(method: string, error: unknown): void;
}

/** Rejects with an McpError, or with an error that the client does not get to see. */
export type Method = (params: Params, request: McpRequest) => Params | InputRequired | Promise<Params | InputRequired>;

/** One request of a client. */
export interface McpRequest {
  id: Id;
  method: string;
  version: string;
  /** `_meta` of the parameters. */
  meta: Params;
  client: McpClient;
  /** Aborts when the request is cancelled, and when the session or the exchange ends. */
  signal: AbortSignal;
  /** What the state of an earlier input-required result holds; undefined: this is not an answer to one. */
  state: unknown;
  /** What the client answered to an earlier input-required result, by its name there. */
  responses: Readonly<Record<string, Params>>;
  notify(method: string, params: Params): void;
  /** Sends a request to the client. Rejects in the newer protocol, which has none. */
  ask(method: string, params: Params | undefined): Promise<Params>;
}

/** What a client said about itself. */
export interface McpClient {
  info: { name?: unknown; version?: unknown } | null;
  capabilities: Params;
}

export const methodNotFound = () => new McpError(codes.methodNotFound, 'Method not found');

/** Calls the method with checked parameters. Rejects with an McpError only. */
export async function perform(
  server: McpServer,
  message: RequestMessage,
  request: Omit<McpRequest, 'id' | 'method' | 'meta' | 'state' | 'responses'>,
): Promise<Params | InputRequired> {
  const { id, method, params = {} } = message;
  const run = server.methods.get(method);
  if (run === undefined) throw methodNotFound();
  try {
    requireParams(message);
    const state = await stateIn(server, method, params.requestState);
    const responses = responsesIn(params.inputResponses);
    const result = await run(params, { ...request, id, method, meta: metaIn(params) ?? {}, state, responses });
    if (isInputRequired(result)) requireCapabilities(result, request.client.capabilities);
    return result;
  } catch (error) {
    if (!(error instanceof McpError)) server.failed(method, error);
    throw toMcpError(error);
  }
}

export function requireParams({ method, params }: RequestMessage): void {
  const issue = paramShapes.get(method)?.(params) ?? null;
  if (issue === null) return;
  const where = ['params', ...issue.path].join('.');
  // Published before this layer existed: only tools/call distinguishes wrong parameters from internal errors.
  const code = method === 'tools/call' ? codes.invalidParams : codes.internal;
  throw new McpError(code, `Invalid ${method} request: ${where}: ${issue.problem}`);
}

const withState = new Set(['tools/call', 'prompts/get', 'resources/read']);

async function stateIn(server: McpServer, method: string, state: unknown): Promise<unknown> {
  if (state === undefined || !withState.has(method)) return undefined;
  try {
    if (typeof state !== 'string' || server.openState === undefined) throw new Error('it is no text');
    return await server.openState(state, method);
  } catch {
    throw new McpError(codes.invalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
  }
}

/** Entries that are requests or results of JSON-RPC instead of answers are ignored. */
export function responsesIn(given: unknown): Record<string, Params> {
  const responses: Record<string, Params> = Object.create(null);
  for (const [name, value] of Object.entries(isObject(given) ? given : {}))
    if (isObject(value) && !('method' in value) && !('result' in value)) responses[name] = value;
  return responses;
}
