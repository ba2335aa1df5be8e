import type { LocalAnswer, LocalHttp } from '../../host/local-http.ts';
import { messageOf } from '../../lib/errors.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import { dataOf } from './mcp-events.ts';
import { headersOf, idOf, isModern, isRequest, type JsonRpc, rpcError } from './mcp-message.ts';

/** Carries messages between a program that started us and the service. */
export interface Bridge {
  /** One line that the program wrote. */
  receive(line: string): void;
  /** Nothing more comes: what was asked before is still answered, for a while. */
  end(): Promise<void>;
}

export interface BridgeParts {
  stream: LocalHttp['stream'];
  /** Where the service is, and with which token; rejects with a sentence when it is nowhere. */
  where(): Promise<{ socket: string; secret: string }>;
  write(line: string): void;
  after(ms: number, callback: () => void): () => void;
}

/** A conversation of the older protocol. */
interface Session {
  id: string;
  version: string;
}

const reopenMs = 1000;
const goodbyeMs = 1000;
/** Whoever closed its input may have gone altogether: then nobody waits, and no question stays on the screen for it. */
const lastAnswersMs = 10_000;

export function createBridge({ stream, where, write, after }: BridgeParts): Bridge {
  const underWay = new Map<string, AbortController>();
  const listening = new AbortController();
  let session: Session | null = null;
  /** Kept to begin again where the service was restarted meanwhile. */
  let hello: { initialize: JsonRpc; initialized: JsonRpc | null } | null = null;
  let renewing: Promise<boolean> | null = null;
  let greeting: Promise<void> | null = null;
  const working = new Set<Promise<void>>();
  let ended = false;

  const send = async (method: 'GET' | 'POST' | 'DELETE', message: JsonRpc | null, signal: AbortSignal) => {
    const { socket, secret } = await where();
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
    return await stream({ socket, route: localRoutes.agents, method, headers, body, signal });
  };

  const pass = (message: unknown) => write(JSON.stringify(message));

  /** Everything in an answer goes to the program, except what `take` keeps. */
  const deliver = async (answer: LocalAnswer, message: JsonRpc, take: (reply: JsonRpc) => boolean = () => false) => {
    let replied = false;
    for await (const reply of dataOf(answer)) {
      const mine = answer.status < 400 ? reply : refusalOf(reply, answer.status, message);
      if (mine.id === message.id && !('method' in mine)) replied = true;
      if (!take(mine) && (answer.status < 400 || isRequest(message))) pass(mine);
    }
    if (!replied && isRequest(message)) throw new Error('Hostler ended the connection before it answered');
  };

  const call = async (message: JsonRpc, signal: AbortSignal): Promise<void> => {
    if (message.method === 'initialize') hello = { initialize: message, initialized: null };
    const before = session;
    if (message.method === 'initialize') session = null;
    let answer = await send('POST', message, signal);
    if (answer.status === 404 && before !== null && !isModern(message) && (await renew(before)))
      answer = await send('POST', message, signal);
    const id = answer.header('mcp-session-id');
    await deliver(answer, message, (reply) => {
      if (message.method === 'initialize' && id !== null) session = { id, version: versionIn(reply) };
      return false;
    });
    if (message.method === 'notifications/initialized' && hello !== null) {
      hello.initialized = message;
      void follow();
    }
  };

  /** Begins the conversation anew, as the program began it. One attempt serves all who need it. */
  const renew = (old: Session): Promise<boolean> => {
    if (renewing === null && session !== old) return Promise.resolve(session !== null);
    renewing ??= (async () => {
      if (hello === null) return false;
      session = null;
      const answer = await send('POST', hello.initialize, listening.signal);
      const id = answer.header('mcp-session-id');
      for await (const reply of dataOf(answer)) if (id !== null) session = { id, version: versionIn(reply) };
      if (hello.initialized !== null) await send('POST', hello.initialized, listening.signal);
      return session !== null;
    })().finally(() => {
      renewing = null;
    });
    return renewing;
  };

  /** What the service says by itself, in the older protocol. */
  const follow = async (): Promise<void> => {
    const mine = session;
    if (mine === null || ended) return;
    try {
      const answer = await send('GET', null, listening.signal);
      if (answer.status === 200) for await (const message of dataOf(answer)) pass(message);
      else if (answer.status === 404) await renew(mine);
    } catch {
      // The next attempt finds out whether the service is back.
    }
    if (!ended) after(reopenMs, () => void follow());
  };

  const receive = async (message: JsonRpc) => {
    const cancels = message.method === 'notifications/cancelled' ? cancelledIn(message) : null;
    const cancelled = cancels === null ? undefined : underWay.get(cancels);
    // In the newer protocol a request is cancelled by leaving; in the older one by saying so.
    if (cancelled !== undefined && session === null) return cancelled.abort();
    const isHello = message.method === 'initialize';
    // Some programs do not wait for the answer to their first word; without it there is no session to speak in.
    if (!isHello && greeting !== null && !isModern(message)) await greeting;
    const control = new AbortController();
    const key = idOf(message);
    if (isRequest(message)) underWay.set(key, control);
    const calling = call(message, control.signal);
    if (isHello) greeting = calling.catch(() => {}).finally(() => (greeting = null));
    try {
      await calling;
    } catch (error) {
      if (isRequest(message) && !control.signal.aborted && !ended) pass(rpcError(message, messageOf(error)));
    } finally {
      if (underWay.get(key) === control) underWay.delete(key);
    }
  };

  return {
    receive(line) {
      if (line.trim() === '') return;
      const message = parseLine(line);
      if (message === null) pass(rpcError(null, 'This line is not a JSON-RPC message', -32_700));
      else {
        const work: Promise<void> = receive(message).finally(() => working.delete(work));
        working.add(work);
      }
    },
    async end() {
      const late = Promise.withResolvers<void>();
      const forget = after(lastAnswersMs, late.resolve);
      await Promise.race([Promise.allSettled(working), late.promise]);
      forget();
      ended = true;
      for (const control of underWay.values()) control.abort();
      listening.abort();
      if (session !== null) await send('DELETE', null, AbortSignal.timeout(goodbyeMs)).catch(() => {});
    },
  };
}

function parseLine(line: string): JsonRpc | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** A refusal that names no request belongs to the one that was sent. Codes stay: clients choose another version by them. */
function refusalOf({ error, ...reply }: JsonRpc, status: number, message: JsonRpc): JsonRpc {
  if (typeof error === 'object' && error !== null && 'code' in error)
    return { ...reply, error, id: message.id ?? null };
  return rpcError(message, typeof error === 'string' ? error : `Hostler answered ${status}`);
}

function versionIn({ result }: JsonRpc): string {
  const version =
    typeof result === 'object' && result !== null && 'protocolVersion' in result ? result.protocolVersion : '';
  return String(version);
}

function cancelledIn({ params }: JsonRpc): string | null {
  return typeof params === 'object' && params !== null && 'requestId' in params
    ? JSON.stringify(params.requestId)
    : null;
}
