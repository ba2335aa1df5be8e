import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';
import { stopAll } from '../../lib/closing.ts';
import { messageOf } from '../../lib/errors.ts';
import { createSequence } from '../../lib/later.ts';
import { type CertificateSource, type CertificateText, certificateSource, day } from './secure.certificate.ts';
import { explainListening, type HttpServer, type SecureOptions } from './server.ts';

/** The port with TLS: opened with the first valid certificate, and reopened with every later one. */
export interface Secure {
  /** null: not open. */
  port(): number | null;
  /** SHA-256 fingerprints of the certificate in use and of those sent with it. */
  certificates(): readonly string[];
  /** Throws an explanation if this is the only port and it cannot be opened. */
  begin(): Promise<void>;
  stop(graceMs: number): Promise<void>;
}

interface State {
  source: CertificateSource;
  listener: SecureListener;
  /** Signature of the files in use. */
  used: string;
  certificates: readonly string[];
  /** Unix milliseconds. */
  endsAt: number;
  stopped: boolean;
  /** The last error and the last expiry warning: each is logged once. */
  complained: string;
  reminded: string;
}

const warnBeforeMs = 14 * 86_400_000;

export function createSecure(parts: TransportParts, ways: SecureWays): Secure {
  const state: State = {
    source: certificateSource(parts),
    listener: createSecureListener(parts.listenOn, ways),
    used: '',
    certificates: [],
    endsAt: 0,
    stopped: false,
    complained: '',
    reminded: '',
  };
  const inTurn = createSequence();
  let unwatch = () => {};
  /** One check at a time. */
  const checkNext = () => inTurn(() => check(state, parts)).catch(() => {});
  return {
    port: state.listener.port,
    certificates: () => state.certificates,
    async begin() {
      try {
        await check(state, parts);
      } catch (error) {
        if (ways.isNeeded) throw error;
      }
      if (!state.stopped) unwatch = watchCertificates(parts, state.source.files, checkNext);
    },
    async stop(graceMs) {
      state.stopped = true;
      unwatch();
      await state.listener.stop(graceMs);
    },
  };
}

/** Checks a new certificate before using it. The previous one stays in use if the new one is not valid. */
async function check(state: State, parts: TransportParts): Promise<void> {
  if (state.stopped) return;
  const { source, listener } = state;
  try {
    const pair = await source.read();
    const now = source.signature();
    if (now === state.used && listener.port() !== null) return remind(state, parts);
    const { until, fingerprint, chain } = await source.check(pair);
    const isFirst = listener.port() === null;
    if (state.stopped) return;
    listener.use(pair);
    state.used = now;
    state.certificates = chain;
    state.complained = '';
    parts.log.info(
      `tls: ${isFirst ? 'using' : 'changed to'} the certificate ${fingerprint.slice(0, 23)}…, valid until ${day(until)}`,
    );
    state.endsAt = until;
    remind(state, parts);
  } catch (error) {
    complain(state, parts, messageOf(error));
    throw error;
  }
}

/** A certificate of our own is renewed long before; one from files may expire. */
function remind(state: State, { host, log }: TransportParts): void {
  const left = state.endsAt - host.clock.now();
  if (left > warnBeforeMs) return;
  const sentence = `the certificate ${left <= 0 ? 'expired' : 'expires'} on ${day(state.endsAt)}; replace ${state.source.files[0]}`;
  if (sentence !== state.reminded) log.warn(`tls: ${sentence}`);
  state.reminded = sentence;
}

function complain(state: State, { log, listenOn }: TransportParts, sentence: string): void {
  if (sentence === state.complained) return;
  state.complained = sentence;
  log.error(
    `tls: ${sentence}. ${state.listener.port() === null ? `Port ${listenOn.securePort} stays closed until this is corrected` : 'The previous certificate stays in use'}`,
  );
}

/** Certificates expire and addresses change without a file event. */
const checkEveryMs = 300_000;
/** Certificate and key are two files, and editors write in several steps. */
const settleMs = 1000;

/** Runs `check` after changes of these files and at an interval. `check` must not reject. Returns the function that stops it. */
function watchCertificates(
  { host, log }: Pick<TransportParts, 'host' | 'log'>,
  files: readonly string[],
  check: () => Promise<unknown>,
): () => void {
  const { storage, clock } = host;
  const unwatch: (() => void)[] = [];
  let cancelCheck = () => {};
  let cancelSettle = () => {};

  const schedule = () => {
    cancelCheck = clock.after(checkEveryMs, () => void check().then(schedule));
  };
  const changed = () => {
    cancelSettle();
    cancelSettle = clock.after(settleMs, () => void check());
  };
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    try {
      unwatch.push(storage.watch(directory, changed));
    } catch (error) {
      log.warn(`tls: ${directory} cannot be watched (${messageOf(error)}), so it is checked every 5 minutes`);
    }
  }
  schedule();
  return stopAll([() => cancelCheck(), () => cancelSettle(), ...unwatch]);
}

/** The listener with the current certificate. */
interface SecureListener {
  /** null: not open. */
  port(): number | null;
  /** Opens the port with this certificate. Throws an explanation. */
  use(pair: CertificateText): void;
  stop(graceMs: number): Promise<void>;
}

interface SecureWays {
  open(options: SecureOptions, port: number): HttpServer;
  /** No other port is open. */
  isNeeded: boolean;
  opened(): void;
}

function createSecureListener(
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
