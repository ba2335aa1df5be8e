import { audioOver, type PulseAudio, subscribe } from '@hostler/pulseaudio/audio.ts';
import type { PulseConnection } from '@hostler/pulseaudio/connection.ts';
import { openPulse, type PulseHost } from '../../../host/linux/sound/pulse.ts';

/** Maximum age, for changes without an announcement and servers that were missing. */
const trustedMs = 5000;
/** An open socket occasionally wakes the runtime, so an unused connection is closed. */
const idleMs = 20_000;

/** A value of the sound server, read again when the server announces a change: over one connection, not by a new client for every read. */
export function createPulseCache<T>(host: PulseHost, timeoutMs: number, work: (pulse: PulseAudio) => Promise<T>) {
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
    await subscribe(line, 'recording');
    if (cancelIdle === null) hangUpWhenIdle(idleMs);
    return line;
  };

  const ask = async (): Promise<T> => {
    try {
      const line = await opened();
      line.limit(timeoutMs);
      const answer = await work(audioOver(line));
      line.limit(null);
      return answer;
    } catch (error) {
      hangUp();
      throw error;
    }
  };

  return {
    /** Rejects as `withPulse` does. */
    read(): Promise<T> {
      askedAt = clock.monotonic();
      const isLost = connection?.isOpen() === false;
      if (last === null || isLost || last.news !== news || askedAt - last.at >= trustedMs) {
        last = { outcome: ask(), news, at: askedAt };
        // The next reader gets the error; prevents an unhandled rejection.
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
