import type { Server } from 'bun';
import type { ServedFile } from '../../../core/files/served-file.ts';

/** File bodies, and the time that clients have to read them. */
export interface FileSending {
  /**
   * A body that is read while it is sent, by the kernel where possible. The response must start in the same turn of the event
   * loop: the runtime opens the file again when it starts to send, and ours is closed right after.
   */
  body(request: Request, file: ServedFile, start: number, end: number): Blob | ReadableStream<Uint8Array>;
  /** Call after a request was handled: if its response is a file, the idle limit is raised. */
  handled(server: Pick<Server<undefined>, 'timeout'>, request: Request): void;
}

const readerTimeoutSeconds = 240;

export function createFileSending(): FileSending {
  const answeredByFile = new WeakSet<Request>();
  return {
    body(request, file, start, end) {
      answeredByFile.add(request);
      if (file.descriptorPath === null) return streamOf(file, start, end);
      // Never pass the descriptor: the runtime would not close it, and would send whatever reuses its number.
      const body = Bun.file(file.descriptorPath).slice(start, end);
      setImmediate(file.close);
      return body;
    },
    handled(server, request) {
      if (!answeredByFile.has(request)) return;
      // A player may read nothing for minutes. The runtime resets its limit when it starts to send a file, so this one
      // is set in the next turn; from then on it counts from the last byte sent.
      setImmediate(() => server.timeout(request, readerTimeoutSeconds));
    },
  };
}

const pieceBytes = 64 * 1024;

function streamOf(file: ServedFile, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
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
