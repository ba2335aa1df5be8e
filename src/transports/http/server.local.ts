/** Serves a Unix socket. */
export interface LocalServer {
  stop(): Promise<void>;
}

export interface LocalServerParts {
  socket: string;
  handle(request: Request): Response | Promise<Response>;
  onError(error: unknown): Response;
}

/** Maximum length of a socket path, with its terminator. */
export const longestSocketPath = 107;
const forTheOwner = 0o177;
/** Actions have no time limit; the runtime supports the option for these sockets, its types do not. */
const unhurried: object = { idleTimeout: 0 };

/** Only the owner of the process and root can connect: the socket is created with mode 0600. Throws the system's error. */
export function startLocalServer({ socket, handle, onError }: LocalServerParts): LocalServer {
  if (Buffer.byteLength(socket) > longestSocketPath)
    throw new Error(`the path ${socket} is longer than ${longestSocketPath} bytes; set a shorter SERVICE_STATE_DIR`);
  // With a umask instead of chmod, the mode applies from creation on.
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
