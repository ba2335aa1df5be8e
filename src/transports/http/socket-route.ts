import { isLoopback } from '../../core/caller.ts';
import { commonLimit } from '../ws/wire.ts';
import type { HttpRequest } from './request.ts';
import { problem } from './respond.ts';
import type { SocketSide } from './server.sockets.ts';

/** GET /api/websocket. Who asks, and for what, says each message; here only Host and Origin were judged. */
export function createSocketRoute(
  sockets: Pick<SocketSide, 'upgrade'>,
  hasRoom: () => boolean,
): (request: HttpRequest) => Response | undefined {
  return ({ raw, headers, connection }) => {
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return problem(426, '/api/websocket is for WebSocket connections', { Upgrade: 'websocket' });
    }
    if (!hasRoom()) return problem(503, 'There are too many connections; try again later', { 'Retry-After': '10' });
    const { address, forwarded, isOurUser } = connection();
    // On the machine itself memory is copied faster than it is compressed.
    const compresses =
      !isLoopback(address) && /\bpermessage-deflate\b/.test(headers.get('sec-websocket-extensions') ?? '');
    const longestMessage = isAiohttp(headers) ? commonLimit : Number.POSITIVE_INFINITY;
    if (sockets.upgrade(raw, { address, forwarded, isOurUser, compresses, longestMessage })) return undefined;
    return problem(400, 'The WebSocket handshake is not complete: Sec-WebSocket-Key and version 13 are needed');
  };
}

/** Home Assistant and the other Python clients: that library ends the connection at a longer message, unless told otherwise. */
function isAiohttp(headers: Headers): boolean {
  return /\baiohttp\b/i.test(headers.get('user-agent') ?? '');
}
