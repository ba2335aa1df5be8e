import { browserNameOf } from '../../access/sessions/browser-name.ts';
import { type Caller, isLoopback } from '../../core/caller.ts';
import type { SocketPeer, Upgrade } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import { defineTransport } from '../../core/transport.ts';
import { secretsOf } from '../http/request.ts';
import { problem } from '../http/respond.ts';
import { type ConnectionBudget, ownUser } from './connection-budget.ts';
import { createLive } from './live.ts';
import { commonLimit } from './wire.ts';

/** The WebSocket API, on the same ports as HTTP. */
export const webSocketTransport = defineTransport({
  name: 'websocket',
  start({ service, host: { clock }, log, timers, routeTable }) {
    const live = createLive({
      service,
      feeds: routeTable.feeds,
      control: async (key, value) => (await routeTable.control?.(key, value)) ?? null,
      log,
      publish: (topic, text, compress) => routeTable.listener?.publish(topic, text, compress),
      unread: routeTable.unread,
      clock,
      timers,
      soon: (callback) => void clock.after(0, callback),
    });
    routeTable.sockets = live;
    const takeAway = service.clients.add((most) => live.clients(most, clock.now()), live.deliver);
    routeTable.upgrades.set('/api/websocket', createSocketRoute(service, live.enter));
    return {
      async stop() {
        takeAway();
        live.close();
      },
    };
  },
});

/**
 * GET /api/websocket. Each message carries a token, and Host and Origin were checked before. A valid token in the headers is not necessary; a client that
 * sends one does not wait in the admission queue.
 */
export function createSocketRoute(
  service: Pick<Service, 'knows' | 'authorize' | 'isKnownAddress'>,
  enter: ConnectionBudget['enter'],
): Upgrade {
  return async (request) => {
    const { raw, headers, connection } = request;
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return problem(426, '/api/websocket is for WebSocket connections', { Upgrade: 'websocket', ...atMostOne });
    }
    const { address, port, forwarded, isOurUser } = connection();
    // On loopback, copying is faster than compressing.
    const compresses =
      !isLoopback(address) && /\bpermessage-deflate\b/.test(headers.get('sec-websocket-extensions') ?? '');
    const longestMessage = isAiohttp(headers) ? commonLimit : Number.POSITIVE_INFINITY;
    const recordBytes = raw.url.startsWith('https:') ? tlsRecordBytes : 0;
    const peer: SocketPeer = {
      address,
      port,
      forwarded,
      isOurUser,
      compresses,
      recordBytes,
      longestMessage,
      software: softwareOf(headers),
    };
    const caller = callerOf(service, [...secretsOf(request)], peer);
    if (caller !== null) peer.caller = caller;
    // Other users of this machine, and other devices of a network, cannot use up what these have.
    const ownShare = () => {
      if (!isLoopback(address)) return service.isKnownAddress(address) ? `address ${address}` : null;
      return forwarded ? null : isOurUser('batched').then((isOurs) => (isOurs ? ownUser : null));
    };
    const place = await enter(address, () => raw.signal, caller !== null, ownShare);
    if (place === null) return tooManyConnections();
    let isUpgraded = false;
    try {
      isUpgraded = request.upgrade(peer, place);
    } finally {
      if (!isUpgraded) place.leave();
    }
    if (isUpgraded) return undefined;
    return problem(
      400,
      'The WebSocket handshake is not complete: Sec-WebSocket-Key and version 13 are needed',
      atMostOne,
    );
  };
}

/** Null without a valid token. Wrong ones are not counted here: the token of each message is. Outside of the route, whose scope holds the request. */
function callerOf(service: Pick<Service, 'knows' | 'authorize'>, secrets: string[], peer: SocketPeer): Caller | null {
  if (!service.knows(secrets)) return null;
  try {
    return service.authorize(secrets, () => peer);
  } catch {
    // An agent token is valid, but not here.
    return null;
  }
}

/** One upgrade per connection, so that a client cannot pipeline thousands of them. */
const atMostOne = { Connection: 'close' };
/** A browser by its usual name; otherwise the first word, which is the program and its version. */
function softwareOf(headers: Headers): string | null {
  const agent = headers.get('user-agent') ?? '';
  if (agent.startsWith('Mozilla/')) return browserNameOf(agent);
  return /^[\w.+-]{1,32}(?:\/[\w.+-]{1,16})?/.exec(agent)?.[0] ?? null;
}

/** Of TLS 1.2 with the ciphers we have; TLS 1.3 adds 7 less. */
const tlsRecordBytes = 29;

/** Spread, so that refused clients do not return at the same moment. */
function tooManyConnections(): Response {
  const seconds = 2 + Math.floor(Math.random() * 8);
  return problem(503, 'There are too many connections; try again later', {
    'Retry-After': String(seconds),
    ...atMostOne,
  });
}

/** Home Assistant and other Python clients: their library closes the connection at a longer message by default. */
function isAiohttp(headers: Headers): boolean {
  return /\baiohttp\b/i.test(headers.get('user-agent') ?? '');
}
