import type { LocalHttp, LocalResponse } from '../../host/local-http.ts';
import { messageOf } from '../../lib/errors.ts';
import { isObject, objectIn } from '../../lib/values.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import { dataOf } from './mcp-events.ts';
import { headersOf, idOf, isModern, isRequest, type JsonRpc, rpcError } from './mcp-message.ts';

/** Forwards messages between the program that started this process and the service. */
export interface Bridge {
  /** One line that the program wrote. */
  receive(line: string): void;
  /** The input has ended. Requests in progress are answered for up to `lastAnswersMs`. */
  end(): Promise<void>;
}

export interface BridgeParts {
  stream: LocalHttp['stream'];
  /** The socket and token of the service; rejects with a sentence when no service is running. */
  where(): Promise<{ socket: string; secret: string }>;
  write(line: string): void;
  after(ms: number, callback: () => void): () => void;
}

/** A session of the older protocol. */
interface Session {
  id: string;
  version: string;
}

const reopenMs = 1000;
const goodbyeMs = 1000;
/** A program that closed its input may have ended. After this time its requests are aborted, and no prompt stays on the screen. */
const lastAnswersMs = 10_000;

interface State extends BridgeParts {
  /** Requests in progress, by id. */
  underWay: Map<string, AbortController>;
  working: Set<Promise<void>>;
  listening: AbortController;
  session: Session | null;
  /** The messages that began the session, to begin another one after the service restarted. */
  hello: { initialize: JsonRpc; initialized: JsonRpc | null } | null;
  renewing: Promise<boolean> | null;
  greeting: Promise<void> | null;
  ended: boolean;
}

export function createBridge(parts: BridgeParts): Bridge {
  const state: State = {
    ...parts,
    underWay: new Map(),
    working: new Set(),
    listening: new AbortController(),
    session: null,
    hello: null,
    renewing: null,
    greeting: null,
    ended: false,
  };
  return {
    receive(line) {
      if (line.trim() === '') return;
      const message = objectIn(line);
      if (message === null) pass(state, rpcError(null, 'This line is not a JSON-RPC message', -32_700));
      else {
        const work: Promise<void> = handle(state, message).finally(() => state.working.delete(work));
        state.working.add(work);
      }
    },
    async end() {
      const late = Promise.withResolvers<void>();
      const forget = state.after(lastAnswersMs, late.resolve);
      await Promise.race([Promise.allSettled(state.working), late.promise]);
      forget();
      state.ended = true;
      for (const control of state.underWay.values()) control.abort();
      state.listening.abort();
      if (state.session !== null) await send(state, 'DELETE', null, AbortSignal.timeout(goodbyeMs)).catch(() => {});
    },
  };
}

async function handle(state: State, message: JsonRpc): Promise<void> {
  const { underWay } = state;
  const cancels = message.method === 'notifications/cancelled' ? cancelledIn(message) : null;
  const cancelled = cancels === null ? undefined : underWay.get(cancels);
  // The newer protocol cancels a request by closing its connection; the older one sends a notification.
  if (cancelled !== undefined && state.session === null) return cancelled.abort();
  const isHello = message.method === 'initialize';
  // Some programs do not wait for the response to `initialize`; without it there is no session.
  if (!isHello && state.greeting !== null && !isModern(message)) await state.greeting;
  const control = new AbortController();
  const key = idOf(message);
  if (isRequest(message)) underWay.set(key, control);
  const calling = call(state, message, control.signal);
  if (isHello)
    state.greeting = calling
      .catch(() => {})
      .finally(() => {
        state.greeting = null;
      });
  try {
    await calling;
  } catch (error) {
    if (isRequest(message) && !control.signal.aborted && !state.ended) pass(state, rpcError(message, messageOf(error)));
  } finally {
    if (underWay.get(key) === control) underWay.delete(key);
  }
}

async function call(state: State, message: JsonRpc, signal: AbortSignal): Promise<void> {
  const before = state.session;
  const isHello = message.method === 'initialize';
  if (isHello) {
    state.hello = { initialize: message, initialized: null };
    state.session = null;
  }
  let response = await send(state, 'POST', message, signal);
  if (response.status === 404 && before !== null && !isModern(message) && (await renew(state, before)))
    response = await send(state, 'POST', message, signal);
  const id = response.header('mcp-session-id');
  let replied = false;
  for await (const reply of dataOf(response)) {
    const mine = response.status < 400 ? reply : refusalOf(reply, response.status, message);
    if (mine.id === message.id && !('method' in mine)) replied = true;
    if (isHello && id !== null) state.session = { id, version: versionIn(mine) };
    if (response.status < 400 || isRequest(message)) pass(state, mine);
  }
  if (!replied && isRequest(message)) throw new Error('Hostler ended the connection before it answered');
  if (message.method === 'notifications/initialized' && state.hello !== null) {
    state.hello.initialized = message;
    void follow(state);
  }
}

async function send(
  state: State,
  method: 'GET' | 'POST' | 'DELETE',
  message: JsonRpc | null,
  signal: AbortSignal,
): Promise<LocalResponse> {
  const { socket, secret } = await state.where();
  const { session } = state;
  const headers: Record<string, string> = {
    Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    Authorization: `Bearer ${secret}`,
    ...(message === null ? {} : { 'Content-Type': 'application/json', ...headersOf(message) }),
  };
  if (session !== null && (message === null || !isModern(message))) {
    headers['Mcp-Session-Id'] = session.id;
    headers['MCP-Protocol-Version'] = session.version;
  }
  const body = message === null ? null : JSON.stringify(message);
  if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body));
  return await state.stream({ socket, route: localRoutes.agents, method, headers, body, signal });
}

/** Begins a new session with the messages that began the old one. Concurrent callers share one attempt. */
function renew(state: State, old: Session): Promise<boolean> {
  if (state.renewing === null && state.session !== old) return Promise.resolve(state.session !== null);
  state.renewing ??= beginAgain(state).finally(() => {
    state.renewing = null;
  });
  return state.renewing;
}

async function beginAgain(state: State): Promise<boolean> {
  const { hello, listening } = state;
  if (hello === null) return false;
  state.session = null;
  const response = await send(state, 'POST', hello.initialize, listening.signal);
  const id = response.header('mcp-session-id');
  for await (const reply of dataOf(response)) if (id !== null) state.session = { id, version: versionIn(reply) };
  if (hello.initialized !== null) await send(state, 'POST', hello.initialized, listening.signal);
  return state.session !== null;
}

/** Forwards the notifications of the service, in the older protocol. */
async function follow(state: State): Promise<void> {
  const mine = state.session;
  if (mine === null || state.ended) return;
  try {
    const response = await send(state, 'GET', null, state.listening.signal);
    if (response.status === 200) for await (const message of dataOf(response)) pass(state, message);
    else if (response.status === 404) await renew(state, mine);
  } catch {
    // The next attempt finds out whether the service is back.
  }
  if (!state.ended) state.after(reopenMs, () => void follow(state));
}

function pass({ write }: State, message: unknown): void {
  write(JSON.stringify(message));
}

/** A refusal without an id belongs to the request that was sent. Error codes are kept: clients use them to choose another version. */
function refusalOf({ error, ...reply }: JsonRpc, status: number, message: JsonRpc): JsonRpc {
  if (isObject(error) && 'code' in error) return { ...reply, error, id: message.id ?? null };
  return rpcError(message, typeof error === 'string' ? error : `Hostler answered ${status}`);
}

const versionIn = ({ result }: JsonRpc) => String((isObject(result) ? result.protocolVersion : null) ?? '');

const cancelledIn = ({ params }: JsonRpc) =>
  isObject(params) && 'requestId' in params ? JSON.stringify(params.requestId) : null;
