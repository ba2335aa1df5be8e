import type { Server } from 'bun';
import { createDownloads, type DownloadsParts } from '../../../access/limits/running-downloads.ts';
import type { PeerEnd } from '../../../core/caller.ts';
import type { ServedFile } from '../../../core/files/served-file.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { SentPart } from './media-file.ts';

/** File bodies, and the time that clients have to read them. */
export interface FileSending {
  /**
   * A body that is read while it is sent, by the kernel where possible. The response must start in the same turn of the event
   * loop: the runtime opens the file again when it starts to send, and ours is closed right after. Throws when the token no longer grants
   * files.
   */
  body(request: Request, file: ServedFile, part: SentPart): Blob | ReadableStream<Uint8Array>;
  /** Call after a request was handled: if its response is a file, the idle limit is raised, and it ends with its token. */
  handled(server: Pick<Server<undefined>, 'timeout' | 'port'>, request: Request, peer: () => PeerEnd): void;
  stop(): void;
}

const readerTimeoutSeconds = 240;

export function createFileSending(parts: DownloadsParts): FileSending {
  /** The token or session of each request whose response is a file. */
  const answeredByFile = new WeakMap<Request, string>();
  const downloads = createDownloads(parts);
  return {
    body(request, file, { start, end, tokenId }) {
      const requireAdmitted = () => {
        if (!parts.admits(tokenId))
          throw new ServiceError('unauthorized', 'This token no longer grants files: it was revoked or changed');
      };
      requireAdmitted();
      answeredByFile.set(request, tokenId);
      if (file.descriptorPath === null) return streamOf(file, start, end, requireAdmitted);
      // Never pass the descriptor: the runtime would not close it, and would send whatever reuses its number.
      const body = Bun.file(file.descriptorPath).slice(start, end);
      setImmediate(file.close);
      return body;
    },
    handled(server, request, peer) {
      const tokenId = answeredByFile.get(request);
      if (tokenId === undefined) return;
      // A player may read nothing for minutes. The runtime resets its limit when it starts to send a file, so this one
      // is set in the next turn; from then on it counts from the last byte sent.
      setImmediate(() => server.timeout(request, readerTimeoutSeconds));
      downloads.began({ ...peer(), localPort: server.port ?? 0 }, tokenId, request.signal);
    },
    stop: downloads.stop,
  };
}

const pieceBytes = 64 * 1024;

function streamOf(
  file: ServedFile,
  start: number,
  end: number,
  requireAdmitted: () => void,
): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          requireAdmitted();
          const piece = await file.read(at, Math.min(end, at + pieceBytes), true);
          if (piece.length === 0) throw new Error('The file became shorter while it was sent');
          controller.enqueue(piece);
          at += piece.length;
          if (at < end) return;
          file.close();
          controller.close();
        } catch (error) {
          file.close();
          controller.error(error);
        }
      },
      cancel: file.close,
    },
    { highWaterMark: 0 },
  );
}
