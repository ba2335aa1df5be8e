import type { Server } from 'bun';
import type { PeerEnd } from '../../core/caller.ts';
import { codeOf } from '../../lib/errors.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import type { FileSending } from './files/server.files.ts';
import { type SocketData, type SocketSeam, socketHandlers } from './server.sockets.ts';

export interface HttpServer {
  /** The port it really has. */
  port: number;
  /** Takes no more connections, and lets those that became WebSockets go on for as long as they like. Resolves when the last of them has gone. */
  retire(): Promise<void>;
  /** Lets answers under way finish for a moment, then ends the rest. */
  stop(graceMs: number): Promise<void>;
}

export interface HttpServerParts {
  /** Empty: every address of the machine. */
  host: string;
  port: number;
  /** Nothing: the connection became a WebSocket. `unhurried` lifts the limit on how long a connection may be silent. */
  handle(request: Request, peer: () => PeerEnd, unhurried: () => void): Later<Response | undefined>;
  onError(error: unknown): Response;
  files: FileSending;
  sockets: SocketSeam;
  /** Left out: without TLS. */
  tls?: SecureOptions;
}

export interface SecureOptions {
  certificate: string;
  key: string;
  /** Goes with every answer; null: nothing does. */
  strictTransport: string | null;
}

/** For TLS 1.2; those of 1.3 are all good, and older versions are not spoken. Each keeps past traffic secret, and is authenticated. */
const ciphers = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  .flatMap((cipher) => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`])
  .join(':');

const idleSeconds = 30;
/** Bodies are judged by our own limit, with an answer that says so; this one only keeps the runtime's parser from doing it first. */
const runtimeBodyLimit = Number.MAX_SAFE_INTEGER;

/** The seam to the runtime's HTTP server. Throws the system's error when the address cannot be had. */
export function startHttpServer({ host, port, handle, onError, files, sockets, tls }: HttpServerParts): HttpServer {
  const strictTransport = tls?.strictTransport ?? null;
  const serve = (hostname: string): Server<SocketData> =>
    Bun.serve({
      hostname,
      port,
      idleTimeout: idleSeconds,
      maxRequestBodySize: runtimeBodyLimit,
      development: false,
      // Otherwise a second server can share the port, and the two answer in turns.
      reusePort: false,
      ...(tls === undefined ? {} : { tls: { cert: tls.certificate, key: tls.key, ciphers } }),
      fetch(request, server) {
        if (tls !== undefined) sockets.came(request, server);
        return mapLater(
          handle(
            request,
            () => peerOf(server.requestIP(request)),
            () => server.timeout(request, 0),
          ),
          (response) => {
            if (response !== undefined) files.handled(server, request);
            if (strictTransport !== null && response !== undefined && !isLocalhost(request))
              response.headers.set('Strict-Transport-Security', strictTransport);
            return response;
          },
        );
      },
      error: onError,
      websocket: socketHandlers(sockets),
    });
  const server = host === '' ? serveEverywhere(serve) : serve(host);
  sockets.attach(server);
  return {
    port: server.port ?? port,
    async retire() {
      await server.stop(false);
      sockets.detach(server);
    },
    async stop(graceMs) {
      const stopped = server.stop(false);
      sockets.detach(server);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([stopped, grace]);
      clearTimeout(timer);
      await server.stop(true);
    },
  };
}

/** `::` takes IPv4 as well; a machine without IPv6 has only the other one. */
function serveEverywhere(serve: (hostname: string) => Server<SocketData>): Server<SocketData> {
  try {
    return serve('::');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw error;
    return serve('0.0.0.0');
  }
}

/** Other programs on this machine are reached by that name as well, and a browser would want TLS of them, too. */
const isLocalhost = ({ headers }: Request) => /(?:^|\.)localhost(?::\d+)?$/i.test(headers.get('host') ?? '');

/** An IPv4 peer of a socket for both families is written as IPv6. */
function peerOf(end: { address: string; port: number } | null): PeerEnd {
  return { address: end?.address.replace(/^::ffff:(?=\d+\.)/, '') ?? '', port: end?.port ?? 0 };
}

/** Listens; the system's code for why it cannot becomes one sentence that says what to do. */
export function explainListening<T>(address: string, port: number, listen: () => T, setting = 'SERVICE_PORT'): T {
  try {
    return listen();
  } catch (cause) {
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use by another program (perhaps another Hostler). Stop it, or choose another port: ${setting}=${port === 65_535 ? 9170 : port + 1}`,
      EACCES: `This user may not use port ${port}: ports below 1024 need privileges. Choose another one with ${setting}`,
    };
    const sentence =
      sentences[codeOf(cause) ?? ''] ??
      `${JSON.stringify(address)} is not an address of this machine. Correct --host, SERVICE_HOST or server.host, or leave it out to listen on all addresses`;
    throw new Error(sentence, { cause });
  }
}
