import type { PulseConnection } from '@hostler/pulseaudio/connection.ts';
import { isAccessDenied, NoPulseServer, openPulse, type PulseHost } from '../../host/linux/sound/pulse.ts';

/** A connection that is kept while somebody follows what the sound server announces, and made anew when it was lost. */
export interface FollowedPulse {
  /** Does something within the time: over the kept connection, or over one that is closed afterwards. */
  use<T>(work: (connection: PulseConnection) => Promise<T>): Promise<T>;
  /**
   * Calls back for every change, when the server is gone, and when it may be back. The first `use` after it begins to hear, so one has to
   * follow. Returns the way to stop.
   */
  follow(changed: () => void): () => void;
}

/** When to look for a server that went away, or did not answer; later it shows at the next ordinary read. ms */
const looks = [300, 700, 1500, 3000, 6000];

/**
 * PipeWire (0.3.65) may fall silent about its default devices, towards everybody and for good, when a program leaves while it is being
 * introduced. Who is connected then goes on reading the old ones; who connects anew is told the new ones. ms
 */
const renewedMs = 25_000;

export function createFollowedPulse(
  host: PulseHost,
  timeoutMs: number,
  subscribe: (connection: PulseConnection) => Promise<void>,
): FollowedPulse {
  const { clock } = host;
  let changed: (() => void) | null = null;
  let kept: PulseConnection | null = null;
  let keptSince = 0;
  /** Done or still to come; null: it answered the last time. One row of them for each time that it ceased to. */
  let cancelLooks: (() => void)[] | null = null;

  const look = () => {
    cancelLooks ??= looks.map((ms) => clock.after(ms, tell));
  };

  const stopLooking = () => {
    for (const cancel of cancelLooks ?? []) cancel();
    cancelLooks = null;
  };

  const open = async (): Promise<PulseConnection> => {
    const old = kept?.isOpen() === true ? kept : null;
    if (old !== null && clock.monotonic() - keptSince < renewedMs) return old;
    try {
      return await keep(await openPulse(host, timeoutMs, { received: tell, ended: lose }));
    } catch (error) {
      if (old?.isOpen() === true) return old;
      throw error;
    }
  };

  const keep = async (connection: PulseConnection): Promise<PulseConnection> => {
    try {
      if (changed !== null) await subscribe(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    // Nobody follows, or nobody does any more: it is closed after its use.
    if (changed === null) return connection;
    kept?.close();
    kept = connection;
    keptSince = clock.monotonic();
    return connection;
  };

  const tell = () => changed?.();

  /** One of those that are closed after their use may be meant; then the kept one is still open. */
  const lose = () => {
    if (kept === null || kept.isOpen()) return;
    // It may have ended because of what it said: its socket is open then.
    kept.close();
    kept = null;
    if (changed === null) return;
    look();
    tell();
  };

  const useOf = async <T>(connection: PulseConnection, work: (connection: PulseConnection) => Promise<T>) => {
    try {
      connection.limit(timeoutMs);
      return await work(connection);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      if (connection === kept) connection.limit(null);
      else connection.close();
    }
  };

  return {
    async use(work) {
      try {
        const result = await useOf(await open(), work);
        stopLooking();
        return result;
      } catch (error) {
        // It is there, and nobody will announce that it answers again.
        if (changed !== null && !(error instanceof NoPulseServer) && !isAccessDenied(error)) look();
        throw error;
      }
    },
    follow(told) {
      changed = told;
      return () => {
        changed = null;
        stopLooking();
        kept?.close();
        kept = null;
      };
    },
  };
}
