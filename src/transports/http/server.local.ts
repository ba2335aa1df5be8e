import type { Later } from '../../lib/later.ts';

/** Answers on a socket in the file system. */
export interface LocalServer {
  stop(): Promise<void>;
}

export interface LocalServerParts {
  socket: string;
  handle(request: Request): Later<Response>;
  onError(error: unknown): Response;
}

/** What fits into the system's address of such a socket, with its end. */
export const longestSocketPath = 107;
const forTheOwner = 0o177;
/** Actions take as long as they take; the runtime knows the option for these sockets as well, its types do not. */
const unhurried: object = { idleTimeout: 0 };

/** Nobody but the owner of the process, and root, can connect: it is made with mode 0600. Throws the system's error. */
export function startLocalServer({ socket, handle, onError }: LocalServerParts): LocalServer {
  if (Buffer.byteLength(socket) > longestSocketPath)
    throw new Error(`the path ${socket} is longer than ${longestSocketPath} bytes; a shorter SERVICE_STATE_DIR helps`);
  // From the first moment on, not a moment later.
  const usual = process.umask(forTheOwner);
  try {
    const server = Bun.serve({
      unix: socket,
      ...unhurried,
      development: false,
      fetch: (request) => handle(request),
      error: onError,
    });
    return { stop: () => server.stop(true) };
  } finally {
    process.umask(usual);
  }
}
