import type { Server } from 'bun';
import type { ServedFile } from '../../core/served-file.ts';

/**
 * A body that is read while it is sent, by the kernel where it can. The answer must be on its way in the same turn of the event
 * loop: the runtime opens the file again when it starts to send, and ours is closed right after.
 */
export function fileBody(file: ServedFile, start: number, end: number): Blob | ReadableStream<Uint8Array> {
  if (file.descriptorPath === null) return streamOf(file, start, end);
  // Never the descriptor itself: the runtime would not close it, and would send whatever has its number later.
  const body = Bun.file(file.descriptorPath).slice(start, end);
  setImmediate(file.close);
  return body;
}

const patienceSeconds = 240;

/**
 * A client that plays what it gets may read nothing for minutes. The runtime sets its ordinary limit anew when it starts to send
 * a file, so this one is set in the next turn; from then on it counts from the last byte that went out.
 */
export function waitForReader(
  server: Pick<Server<undefined>, 'timeout'>,
  request: Request,
  response: Response | Promise<Response>,
): void {
  // Files that are read while they are sent end their connection, and nothing else does.
  if (response instanceof Promise || response.headers.get('Connection') !== 'close') return;
  setImmediate(() => server.timeout(request, patienceSeconds));
}

const pieceBytes = 64 * 1024;

function streamOf(file: ServedFile, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream(
    {
      pull(controller) {
        try {
          const piece = file.read(at, Math.min(end, at + pieceBytes));
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
