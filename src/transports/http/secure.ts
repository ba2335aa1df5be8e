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
  open(options: SecureOptions): HttpServer;
  /** There is no other way in. */
  isNeeded: boolean;
  opened(): void;
}

/** How often it is looked whether the certificate is about to end, or the machine has another address. */
const lookEveryMs = 300_000;
/** Certificate and key are two files, and editors write in several steps: the last of them counts. */
const settleMs = 1000;
/** What is being said on a connection of the old certificate is finished by then; WebSockets go on for as long as they like. */
const retireAfterMs = 10_000;
const warnBeforeMs = 14 * 86_400_000;

export function createSecure(parts: TransportParts, { open, isNeeded, opened }: SecureWays): Secure {
  const { host, log, listenOn } = parts;
  const { storage, clock } = host;
  const source = certificateSource(parts);
  let server: HttpServer | null = null;
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
  let retireEarlier = () => {};
  const unwatch: (() => void)[] = [];

  const use = async (pair: CertificateText) => {
    const strictTransport = isNeeded ? 'max-age=2592000' : null;
    const doorway = await host.doorway();
    if (stopped) return;
    const before = server;
    if (before === null) {
      const options = { ...pair, strictTransport, shared: doorway !== null };
      const listen = () => {
        // With a port that is shared the system would let in anybody of this user, such as another Hostler.
        if (doorway !== null) void open({ ...options, shared: false }).stop(0);
        return open(options);
      };
      server = explainListening(listenOn.address, listenOn.securePort, listen, 'server.tlsPort');
      return opened();
    }
    // Where the port can be shared, newcomers go to the new one from its first moment on; else there is a gap of a millisecond.
    if (doorway === null) retire(before);
    else {
      // Two at most: the system is told to prefer the second.
      retireEarlier();
      doorway.preferNewest(before.port);
    }
    server = open({ ...pair, strictTransport, shared: doorway !== null });
    if (doorway !== null) retireEarlier = soon(before);
  };

  const retire = (old: HttpServer) => {
    retired.add(old);
    void old.retire().then(() => retired.delete(old));
  };

  /** What is being said on its connections may be finished; returns the way to be done with it now. */
  const soon = (old: HttpServer) => {
    retired.add(old);
    const finish = () => {
      cancel();
      retireEarlier = () => {};
      retire(old);
    };
    const cancel = clock.after(retireAfterMs, finish);
    return finish;
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
      await use(pair);
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
