import type { Server } from 'bun';
import type { Place } from '../../access/limits/admission-queue.ts';
import type { PeerEnd } from '../../core/caller.ts';
import type { SocketPeer } from '../../core/route-table.ts';
import { codeOf } from '../../lib/errors.ts';
import type { Later } from '../../lib/later.ts';
import type { FileSending } from './files/server.files.ts';
import { type SocketData, type SocketSeam, socketHandlers } from './server.sockets.ts';

export interface HttpServer {
  /** The actual port. */
  port: number;
  /** The other end of the connection of a request. */
  end(request: Request): PeerEnd;
  /** Lifts the idle limit of the connection. */
  unhurried(request: Request): void;
  /** Makes the connection of a request of this server a WebSocket; false: it is not a valid upgrade. */
  upgrade(request: Request, peer: SocketPeer, place: Place): boolean;
  /** Stops accepting connections; WebSockets stay open. Resolves when the last one closes. */
  retire(): Promise<void>;
  /** Waits for responses in progress for the grace period, then closes the rest. */
  stop(graceMs: number): Promise<void>;
}

export interface HttpServerParts {
  /** Empty: every address of the machine. */
  host: string;
  port: number;
  /** undefined: the connection became a WebSocket. */
  handle(request: Request): Later<Response | undefined>;
  onError(error: unknown): Response;
  files: FileSending;
  sockets: SocketSeam;
  /** Omitted: without TLS. */
  tls?: SecureOptions;
}

export interface SecureOptions {
  certificate: string;
  key: string;
  /** Sent with every response; null: not sent. */
  strictTransport: string | null;
}

/** For TLS 1.2, with forward secrecy and AEAD only; all ciphers of 1.3 are allowed, and older versions are not supported. */
const ciphers = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  .flatMap((cipher) => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`])
  .join(':');

const idleSeconds = 30;
/** Our own limit answers with an explanation; this one keeps the runtime's parser from rejecting the body first. */
const runtimeBodyLimit = Number.MAX_SAFE_INTEGER;

/** The adapter to the runtime's HTTP server. Throws the system's error when it cannot listen. */
export function startHttpServer({ host, port, handle, onError, files, sockets, tls }: HttpServerParts): HttpServer {
  const strictTransport = tls?.strictTransport ?? null;
  const finish = (request: Request, response: Response | undefined): Response | undefined => {
    if (response === undefined) return undefined;
    files.handled(server, request, () => peerOf(server.requestIP(request)));
    if (strictTransport !== null && !isLocalhost(request))
      response.headers.set('Strict-Transport-Security', strictTransport);
    return response;
  };
  const serve = (hostname: string): Server<SocketData> =>
    Bun.serve({
      hostname,
      port,
      idleTimeout: idleSeconds,
      maxRequestBodySize: runtimeBodyLimit,
      development: false,
      // Otherwise a second server can share the port and receive some of the requests.
      reusePort: false,
      ...(tls === undefined ? {} : { tls: { cert: tls.certificate, key: tls.key, ciphers } }),
      fetch(request) {
        const response = handle(request);
        if (response instanceof Promise) return response.then((settled) => finish(request, settled));
        return finish(request, response);
      },
      error: onError,
      websocket: socketHandlers(sockets),
    });
  const server = host === '' ? serveEverywhere(serve) : serve(host);
  sockets.attach(server);
  return {
    port: server.port ?? port,
    end: (request) => peerOf(server.requestIP(request)),
    unhurried: (request) => server.timeout(request, 0),
    upgrade(request, peer, place) {
      // Without this extension the runtime negotiates no compression.
      if (!peer.compresses) request.headers.delete('sec-websocket-extensions');
      return server.upgrade(request, { data: { peer, place, session: null } });
    },
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

/** `::` accepts IPv4 as well; a machine without IPv6 needs the fallback. */
function serveEverywhere(serve: (hostname: string) => Server<SocketData>): Server<SocketData> {
  try {
    return serve('::');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw error;
    return serve('0.0.0.0');
  }
}

/** Other programs on this machine share that name, and a browser would require TLS for them, too. */
const isLocalhost = ({ headers }: Request) => /(?:^|\.)localhost(?::\d+)?$/i.test(headers.get('host') ?? '');

/** A dual-stack socket reports an IPv4 peer as IPv6. */
function peerOf(end: { address: string; port: number } | null): PeerEnd {
  return { address: end?.address.replace(/^::ffff:(?=\d+\.)/, '') ?? '', port: end?.port ?? 0 };
}

/** Listens, and converts the system's error into an explanation with a remedy. */
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
