import type { LocalSocket, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { createWriteQueue } from './write-queue.ts';

/** Maximum of unsent bytes: a server that does not read would fill the memory. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * A connection to a Unix socket: a path, or a NUL and an abstract name. Uses the runtime's own interface: node:net would
 * cost some megabytes. `check` gets the descriptor of the connection before a byte is sent or received; if it throws, the connection ends.
 */
export async function connectUnix(
  path: string,
  events: LocalSocketEvents,
  check: (descriptor: number) => void,
): Promise<LocalSocket> {
  const queue = createWriteQueue((bytes) => socket.write(bytes));
  let problem: Error | null = null;
  let isOver = false;
  let refusal: unknown = null;

  const handlers: Bun.SocketHandler = {
    open(socket) {
      try {
        check(descriptorOf(socket));
      } catch (error) {
        refusal = error;
        isOver = true;
        socket.terminate();
      }
    },
    data(socket, bytes) {
      try {
        if (!isOver) events.data(bytes);
      } catch (error) {
        fail(socket, error instanceof Error ? error : new Error(String(error)));
      }
    },
    drain: queue.flush,
    error(_socket, error) {
      problem ??= error;
    },
    close(_socket, error) {
      // Also where the listener has closed it during its own callback.
      if (!isOver) queueMicrotask(() => events.closed(problem ?? error ?? null));
      isOver = true;
      queue.clear();
    },
    // The rejection reports it.
    connectError() {},
  };

  function fail(socket: Bun.Socket<unknown>, error: Error): void {
    problem ??= error;
    socket.terminate();
  }

  const socket: Bun.Socket<unknown> = await Bun.connect({ unix: path, socket: handlers }).catch((error: unknown) => {
    throw refused(path, error);
  });
  if (refusal !== null) throw refusal;
  return {
    send(bytes) {
      if (isOver || bytes.length === 0) return;
      queue.add(bytes);
      if (queue.waiting() > mostWaiting)
        fail(socket, new Error(`${named(path)} does not read the data that is sent to it`));
    },
    close() {
      queue.flush();
      socket.terminate();
    },
  };
}

/** The runtime's declaration omits the property. */
function descriptorOf(socket: Bun.Socket<unknown>): number {
  const descriptor: unknown = Reflect.get(socket, 'fd');
  if (typeof descriptor !== 'number' || descriptor < 0)
    throw new Error('the runtime does not expose the descriptor of the socket');
  return descriptor;
}

/** The runtime's error has only a generic message and the code. */
function refused(path: string, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  const error = new Error(`connect ${code ?? 'failed'} ${named(path)}`, { cause });
  return code === null ? error : Object.assign(error, { code });
}

const named = (path: string): string => path.replace('\0', '@');
