import type { ServerMessage } from './events.ts';

/** Address of a service, such as `http://127.0.0.1:9170`, and the token. */
export interface Where {
  url: string;
  /** A function is called for every message: short-lived tokens are replaced while the connection lasts. */
  token: string | (() => string);
}

/** The part of a WebSocket in use: that of browsers, Node 22, Bun, and the package `ws` alike. */
export interface SocketLike {
  addEventListener(type: 'open', listener: () => void): void;
  /** Browsers give no reason. */
  addEventListener(type: 'error', listener: (event: { message?: string }) => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(): void;
}

export type SocketConstructor = new (url: string) => SocketLike;

export type Send = (id: string, event: string, data: unknown) => void;

/** One connection, from the first attempt to its end. */
export interface ClientLink {
  end(): void;
}

export interface ClientLinkEvents {
  /** The service accepted the token. */
  opened(send: Send): void;
  received(message: ServerMessage): void;
  /** Once, and nothing after it. Not after `end()`. */
  ended(refused: boolean, sentence: string): void;
}

const signOfLife = 'sign-of-life';
const unreachable = 'It cannot be reached';
const lateErrorMs = 100;

export function openClientLink(
  socket: SocketLike,
  token: Where['token'],
  connectMs: number,
  quietMs: number,
  events: ClientLinkEvents,
): ClientLink {
  let open = false;
  let over = false;
  let hasReceived = false;
  let asked = false;
  let isReached = false;
  let cause = '';
  let lifeTimer: ReturnType<typeof setInterval> | undefined;

  const secret = () => (typeof token === 'function' ? token() : token);
  const send: Send = (id, event, data) => socket.send(JSON.stringify({ token: secret(), id, event, data }));
  /** The cheapest request. At the start it shows whether the token is valid. */
  const ask = () => send(signOfLife, 'GET_DATA', { modules: [] });

  const end = () => {
    clearTimeout(limit);
    clearInterval(lifeTimer);
    over = true;
    socket.close();
  };
  const fail = (refused: boolean, sentence: string) => {
    end();
    events.ended(refused, sentence);
  };
  const limit = setTimeout(() => fail(false, 'The service is not responding'), connectMs);

  /** Only messages prove that the service responds: pings are answered below us, and a dead network closes nothing. */
  const listenForLife = () => {
    if (hasReceived) asked = false;
    else if (asked) return fail(false, 'The service stopped responding');
    else {
      asked = true;
      ask();
    }
    hasReceived = false;
  };

  const answered = ({ type, subtype, message = '' }: ServerMessage) => {
    if (type === 'ERROR' && /^(BAD|MISSING)_TOKEN$/.test(subtype)) return fail(true, message);
    if (open) return;
    open = true;
    clearTimeout(limit);
    lifeTimer = setInterval(listenForLife, quietMs);
    events.opened(send);
  };

  socket.addEventListener('open', () => {
    isReached = true;
    if (!over) ask();
  });
  socket.addEventListener('message', ({ data }) => {
    hasReceived = true;
    if (over) return;
    try {
      const message: ServerMessage = JSON.parse(String(data));
      if (message.id === signOfLife) answered(message);
      else events.received(message);
    } catch {
      fail(false, 'Something other than the service is answering at this address');
    }
  });
  socket.addEventListener('close', ({ code, reason }) => {
    // Also after a token was revoked: the next connection reports that, and there may be another reason.
    if (!over) fail(false, cause || reason || (isReached ? `The connection ended with code ${code}` : unreachable));
  });
  // Usually `close` follows; some implementations end the process without a listener for errors.
  socket.addEventListener('error', ({ message = '' }) => {
    cause = message;
    // The WebSocket of Node 22 emits nothing further when the address is unreachable.
    if (!isReached) setTimeout(() => over || fail(false, cause || unreachable), lateErrorMs);
  });
  return { end };
}
