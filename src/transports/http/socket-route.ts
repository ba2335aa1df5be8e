import type { Place } from '../../access/door.ts';
import { isLoopback } from '../../core/caller.ts';
import { after, type Later } from '../../lib/later.ts';
import { commonLimit } from '../ws/wire.ts';
import type { HttpRequest } from './request.ts';
import { problem } from './respond.ts';
import type { SocketSide } from './server.sockets.ts';

/** GET /api/websocket. Who asks, and for what, says each message; here only Host and Origin were judged. */
export function createSocketRoute(
  sockets: Pick<SocketSide, 'upgrade'>,
  enter: (address: string, gone: () => AbortSignal) => Later<Place | null>,
): (request: HttpRequest) => Later<Response | undefined> {
  return ({ raw, headers, connection }) => {
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return problem(426, '/api/websocket is for WebSocket connections', { Upgrade: 'websocket' });
    }
    const { address, port, forwarded, isOurUser } = connection();
    // On the machine itself memory is copied faster than it is compressed.
    const compresses =
      !isLoopback(address) && /\bpermessage-deflate\b/.test(headers.get('sec-websocket-extensions') ?? '');
    const longestMessage = isAiohttp(headers) ? commonLimit : Number.POSITIVE_INFINITY;
    const peer = { address, port, forwarded, isOurUser, compresses, longestMessage };
    const open = (place: Place | null) => {
      if (place === null) return crowded();
      if (sockets.upgrade(raw, peer, place)) return undefined;
      place.leave();
      return problem(400, 'The WebSocket handshake is not complete: Sec-WebSocket-Key and version 13 are needed');
    };
    return after(
      enter(address, () => raw.signal),
      open,
    );
  };
}

/** Not all at once: those who are told at the same moment would come back at the same moment. */
function crowded(): Response {
  const seconds = 2 + Math.floor(Math.random() * 8);
  return problem(503, 'There are too many connections; try again later', { 'Retry-After': String(seconds) });
}

/** Home Assistant and the other Python clients: that library ends the connection at a longer message, unless told otherwise. */
function isAiohttp(headers: Headers): boolean {
  return /\baiohttp\b/i.test(headers.get('user-agent') ?? '');
}
