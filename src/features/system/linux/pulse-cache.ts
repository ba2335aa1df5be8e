import { commandsOver, type Pulse, subscribe } from '@hostler/pulseaudio/commands.ts';
import type { PulseConnection } from '@hostler/pulseaudio/connection.ts';
import { openPulse, type PulseHost } from '../../../host/linux/sound/pulse.ts';

/** Something the sound server knows, asked again when it announces a change. */
export interface KeptPulse<T> {
  /** Rejects as `withPulse` does. */
  read(): Promise<T>;
  close(): void;
}

/** What servers forget to announce shows after this, and so does one that was not there. */
const trustedMs = 5000;
/** Any open socket wakes the runtime now and then: who asks no more needs none. */
const idleMs = 20_000;

/** One connection as long as somebody asks; a new one for every question would be a client that comes and goes. */
export function keepPulse<T>(host: PulseHost, timeoutMs: number, work: (pulse: Pulse) => Promise<T>): KeptPulse<T> {
  const { clock } = host;
  let connection: PulseConnection | null = null;
  let news = 0;
  let last: { outcome: Promise<T>; news: number; at: number } | null = null;
  let askedAt = 0;
  let cancelIdle: (() => void) | null = null;
  let isClosed = false;

  const hangUp = () => {
    connection?.close();
    connection = null;
  };

  const hangUpWhenIdle = (inMs: number) => {
    cancelIdle = clock.after(inMs, () => {
      cancelIdle = null;
      const left = askedAt + idleMs - clock.monotonic();
      if (left > 0) return hangUpWhenIdle(left);
      hangUp();
      last = null;
    });
  };

  const opened = async (): Promise<PulseConnection> => {
    if (connection?.isOpen() === true) return connection;
    hangUp();
    const line = await openPulse(host, timeoutMs, {
      received: () => {
        news += 1;
      },
    });
    connection = line;
    if (isClosed) throw new Error('it is no longer needed');
    await subscribe(line);
    if (cancelIdle === null) hangUpWhenIdle(idleMs);
    return line;
  };

  const ask = async (): Promise<T> => {
    try {
      const line = await opened();
      line.limit(timeoutMs);
      const answer = await work(commandsOver(line));
      line.limit(null);
      return answer;
    } catch (error) {
      hangUp();
      throw error;
    }
  };

  return {
    read() {
      askedAt = clock.monotonic();
      const isLost = connection?.isOpen() === false;
      if (last === null || isLost || last.news !== news || askedAt - last.at >= trustedMs) {
        last = { outcome: ask(), news, at: askedAt };
        // Whoever reads gets it; nobody else has to.
        last.outcome.catch(() => {});
      }
      return last.outcome;
    },
    close() {
      isClosed = true;
      cancelIdle?.();
      cancelIdle = null;
      hangUp();
      last = null;
    },
  };
}
