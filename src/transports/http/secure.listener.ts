import type { TransportParts } from '../../core/transport.ts';
import type { CertificateText } from './secure.certificate.ts';
import { explainListening, type HttpServer, type SecureOptions } from './server.ts';

/** The listener with the current certificate. */
export interface SecureListener {
  /** null: not open. */
  port(): number | null;
  /** Opens the port with this certificate. Throws an explanation. */
  use(pair: CertificateText): void;
  stop(graceMs: number): Promise<void>;
}

export interface SecureWays {
  open(options: SecureOptions, port: number): HttpServer;
  /** No other port is open. */
  isNeeded: boolean;
  opened(): void;
}

export function createSecureListener(
  listenOn: TransportParts['listenOn'],
  { open, isNeeded, opened }: SecureWays,
): SecureListener {
  let server: HttpServer | null = null;
  let port = listenOn.securePort;
  const retired = new Set<HttpServer>();

  const retire = (old: HttpServer) => {
    retired.add(old);
    void old.retire().then(() => retired.delete(old));
  };

  return {
    port: () => server?.port ?? null,
    /**
     * The runtime cannot replace the certificate of a listener, so the listener is replaced. Requests and WebSockets of the previous one
     * continue; a connection that was not accepted yet is lost.
     */
    use(pair) {
      const options = { ...pair, strictTransport: isNeeded ? 'max-age=2592000' : null };
      const before = server;
      server = null;
      if (before !== null) retire(before);
      server = explainListening(listenOn.address, port, () => open(options, port), 'server.tlsPort');
      port = server.port;
      if (before === null) opened();
    },
    async stop(graceMs) {
      await Promise.all([server, ...retired].map((each) => each?.stop(graceMs)));
    },
  };
}
