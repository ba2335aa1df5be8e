import type { Place } from '../../access/limits/admission-queue.ts';
import { browserNameOf } from '../../access/sessions/browser-name.ts';
import { isLoopback } from '../../core/caller.ts';
import type { Entrance, Upgrade } from '../../core/route-table.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import { problem } from '../http/respond.ts';
import { commonLimit } from './wire.ts';

/** GET /api/websocket. Who asks, and for what, says each message; here only Host and Origin were judged. */
export function createSocketRoute(
  entrance: Pick<Entrance, 'door'>,
  enter: (address: string, gone: () => AbortSignal) => Later<Place | null>,
): Upgrade {
  return ({ raw, headers, connection }) => {
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return problem(426, '/api/websocket is for WebSocket connections', { Upgrade: 'websocket', ...atMostOne });
    }
    const { address, port, forwarded, isOurUser } = connection();
    // On the machine itself memory is copied faster than it is compressed.
    const compresses =
      !isLoopback(address) && /\bpermessage-deflate\b/.test(headers.get('sec-websocket-extensions') ?? '');
    const longestMessage = isAiohttp(headers) ? commonLimit : Number.POSITIVE_INFINITY;
    const recordBytes = raw.url.startsWith('https:') ? tlsRecordBytes : 0;
    const peer = {
      address,
      port,
      forwarded,
      isOurUser,
      compresses,
      recordBytes,
      longestMessage,
      software: softwareOf(headers),
    };
    const open = (place: Place | null) => {
      if (place === null) return crowded();
      if (entrance.door?.upgrade(raw, peer, place)) return undefined;
      place.leave();
      return problem(
        400,
        'The WebSocket handshake is not complete: Sec-WebSocket-Key and version 13 are needed',
        atMostOne,
      );
    };
    return mapLater(
      enter(address, () => raw.signal),
      open,
    );
  };
}

/** A connection is for one upgrade: so nobody can send thousands of them at once, and those who really come at once all find the door. */
const atMostOne = { Connection: 'close' };
/** A browser by its usual name; of anything else the first word, which is the program and its version. */
function softwareOf(headers: Headers): string | null {
  const agent = headers.get('user-agent') ?? '';
  if (agent.startsWith('Mozilla/')) return browserNameOf(agent);
  return /^[\w.+-]{1,32}(?:\/[\w.+-]{1,16})?/.exec(agent)?.[0] ?? null;
}

/** Of TLS 1.2 with the ciphers we have; TLS 1.3 adds 7 less. */
const tlsRecordBytes = 29;

/** Not all at once: those who are told at the same moment would come back at the same moment. */
function crowded(): Response {
  const seconds = 2 + Math.floor(Math.random() * 8);
  return problem(503, 'There are too many connections; try again later', {
    'Retry-After': String(seconds),
    ...atMostOne,
  });
}

/** Home Assistant and the other Python clients: that library ends the connection at a longer message, unless told otherwise. */
function isAiohttp(headers: Headers): boolean {
  return /\baiohttp\b/i.test(headers.get('user-agent') ?? '');
}
