import type { Told } from './events.ts';

/** Where a service is, such as `http://127.0.0.1:9170`, and the way in. */
export interface Where {
  url: string;
  /** Asked for with every message where it is a function: short-lived ones are replaced while the connection lasts. */
  token: string | (() => string);
}

/** What is used of a WebSocket: that of browsers, Node 22, Bun, and the package `ws` alike. */
export interface SocketLike {
  addEventListener(type: 'open', listener: () => void): void;
  /** Browsers do not say what it was. */
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
  /** The service took the token. */
  opened(send: Send): void;
  received(message: Told): void;
  /** Once, and nothing after it. Not after `end()`. */
  ended(refused: boolean, sentence: string): void;
}

const signOfLife = 'sign-of-life';
const unreachable = 'It cannot be reached';
const lastWordMs = 100;

export function openClientLink(
  socket: SocketLike,
  token: Where['token'],
  connectMs: number,
  quietMs: number,
  events: ClientLinkEvents,
): ClientLink {
  let open = false;
  let over = false;
  let heard = false;
  let asked = false;
  let isReached = false;
  let cause = '';
  let lifeTimer: ReturnType<typeof setInterval> | undefined;

  const secret = () => (typeof token === 'function' ? token() : token);
  const send: Send = (id, event, data) => socket.send(JSON.stringify({ token: secret(), id, event, data }));
  /** The cheapest question there is. At the start it shows whether the token is good. */
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

  /** Only messages show that somebody is there: pings are answered below us, and a dead network closes nothing. */
  const listenForLife = () => {
    if (heard) asked = false;
    else if (asked) return fail(false, 'The service stopped responding');
    else {
      asked = true;
      ask();
    }
    heard = false;
  };

  const answered = ({ type, subtype, message = '' }: Told) => {
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
    heard = true;
    if (over) return;
    try {
      const message: Told = JSON.parse(String(data));
      if (message.id === signOfLife) answered(message);
      else events.received(message);
    } catch {
      fail(false, 'Something other than the service is answering at this address');
    }
  });
  socket.addEventListener('close', ({ code, reason }) => {
    // Also where a token was revoked: the next connection says so, and it may have been for another reason.
    if (!over) fail(false, cause || reason || (isReached ? `The connection ended with code ${code}` : unreachable));
  });
  // The end follows by itself, mostly; some implementations end the process when nobody listens for errors.
  socket.addEventListener('error', ({ message = '' }) => {
    cause = message;
    // That of Node 22 says nothing more where nobody is.
    if (!isReached) setTimeout(() => over || fail(false, cause || unreachable), lastWordMs);
  });
  return { end };
}
