import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import { type CertificateText, certificateSource, day } from './secure.certificate.ts';
import { explainListening, type HttpServer, type SecureOptions } from './server.ts';

/** The port with TLS: opened with the first good certificate, and kept open with every later one. */
export interface Secure {
  /** null: it is not open. */
  port(): number | null;
  /** SHA-256 fingerprints of the certificate in use and of those sent with it. */
  certificates(): readonly string[];
  /** Throws a sentence if there is no other way in and this one cannot be opened. */
  begin(): Promise<void>;
  stop(graceMs: number): Promise<void>;
}

export interface SecureWays {
  open(options: SecureOptions, port: number): HttpServer;
  /** There is no other way in. */
  isNeeded: boolean;
  opened(): void;
}

/** How often it is looked whether the certificate is about to end, or the machine has another address. */
const lookEveryMs = 300_000;
/** Certificate and key are two files, and editors write in several steps: the last of them counts. */
const settleMs = 1000;
const warnBeforeMs = 14 * 86_400_000;

export function createSecure(parts: TransportParts, { open, isNeeded, opened }: SecureWays): Secure {
  const { host, log, listenOn } = parts;
  const { storage, clock } = host;
  const source = certificateSource(parts);
  let server: HttpServer | null = null;
  let port = listenOn.securePort;
  const retired = new Set<HttpServer>();
  let used = '';
  let certificates: readonly string[] = [];
  let complained = '';
  let reminded = '';
  let endsAt = 0;
  let stopped = false;
  let work: Promise<unknown> = Promise.resolve();
  let cancelLook = () => {};
  let cancelSettle = () => {};
  const unwatch: (() => void)[] = [];

  /**
   * The runtime cannot replace the certificate of a listener, so the listener is replaced. Requests and WebSockets of the previous one continue; a
   * connection that was not accepted yet is lost.
   */
  const use = (pair: CertificateText) => {
    const options = { ...pair, strictTransport: isNeeded ? 'max-age=2592000' : null };
    const before = server;
    server = null;
    if (before !== null) retire(before);
    server = explainListening(listenOn.address, port, () => open(options, port), 'server.tlsPort');
    port = server.port;
    if (before === null) opened();
  };

  const retire = (old: HttpServer) => {
    retired.add(old);
    void old.retire().then(() => retired.delete(old));
  };

  /** A new one is checked before it is used; with one that is not good, the one before stays. */
  const look = async () => {
    if (stopped) return;
    try {
      const pair = await source.read();
      const now = source.signature();
      if (now === used && server !== null) return remind();
      const { until, fingerprint, chain } = await source.check(pair);
      const isFirst = server === null;
      if (stopped) return;
      use(pair);
      used = now;
      certificates = chain;
      complained = '';
      log.info(
        `tls: ${isFirst ? 'using' : 'changed to'} the certificate ${fingerprint.slice(0, 23)}…, good until ${day(until)}`,
      );
      endsAt = until;
      remind();
    } catch (error) {
      complain(messageOf(error));
      throw error;
    }
  };

  /** Ours is renewed long before; others may forget. */
  const remind = () => {
    const left = endsAt - clock.now();
    if (left > warnBeforeMs) return;
    const sentence = `the certificate ${left <= 0 ? 'expired' : 'expires'} on ${day(endsAt)}; replace ${source.files[0]}`;
    if (sentence !== reminded) log.warn(`tls: ${sentence}`);
    reminded = sentence;
  };

  const complain = (sentence: string) => {
    if (sentence === complained) return;
    complained = sentence;
    log.error(
      `tls: ${sentence}. ${server === null ? `Port ${listenOn.securePort} stays closed until that is mended` : 'The previous certificate stays in use'}`,
    );
  };

  const inTurn = () => {
    work = work.then(look).catch(() => {});
    return work;
  };

  const lookNowAndThen = () => {
    cancelLook = clock.after(lookEveryMs, () => {
      void inTurn().then(lookNowAndThen);
    });
  };

  const changed = () => {
    cancelSettle();
    cancelSettle = clock.after(settleMs, () => void inTurn());
  };

  const follow = () => {
    for (const directory of new Set(source.files.map((file) => path.dirname(file)))) {
      try {
        unwatch.push(storage.watch(directory, changed));
      } catch (error) {
        log.warn(`tls: ${directory} cannot be watched (${messageOf(error)}), so it is checked every 5 minutes`);
      }
    }
    lookNowAndThen();
  };

  return {
    port: () => server?.port ?? null,
    certificates: () => certificates,
    async begin() {
      try {
        await look();
      } catch (error) {
        if (isNeeded) throw error;
      }
      if (!stopped) follow();
    },
    async stop(graceMs) {
      stopped = true;
      cancelLook();
      cancelSettle();
      for (const stop of unwatch) stop();
      await Promise.all([server, ...retired].map((each) => each?.stop(graceMs)));
    },
  };
}
