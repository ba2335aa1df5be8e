import type { PulseConnection } from './pulse.connection.ts';
import { openPulse, type PulseHost } from './pulse.ts';

/** A connection that is kept while somebody follows what the sound server announces, and made anew when it was lost. */
export interface FollowedPulse {
  /** Does something within the time: over the kept connection, or over one that is closed afterwards. */
  use<T>(work: (connection: PulseConnection) => Promise<T>): Promise<T>;
  /** Calls back for every change, when the server is gone, and when it may be back. Returns the way to stop. */
  follow(changed: () => void): () => void;
}

/** When to look for a server that went away; later it shows at the next ordinary read. ms */
const looks = [300, 700, 1500, 3000, 6000];

export function createFollowedPulse(
  host: PulseHost,
  timeoutMs: number,
  subscribe: (connection: PulseConnection) => Promise<void>,
): FollowedPulse {
  const { clock } = host;
  let changed: (() => void) | null = null;
  let kept: PulseConnection | null = null;
  let cancelLooks: (() => void)[] = [];

  const stopLooking = () => {
    for (const cancel of cancelLooks) cancel();
    cancelLooks = [];
  };

  const open = async (): Promise<PulseConnection> => {
    if (kept?.isOpen() === true) return kept;
    const connection = await openPulse(host, timeoutMs, { heard: tell, ended: lose });
    if (changed === null) return connection;
    kept = connection;
    stopLooking();
    await subscribe(connection);
    return connection;
  };

  const tell = () => changed?.();

  /** One of those that are closed after their use may be meant; then the kept one is still open. */
  const lose = () => {
    if (kept === null || kept.isOpen()) return;
    kept = null;
    if (changed === null) return;
    cancelLooks = looks.map((ms) => clock.after(ms, tell));
    tell();
  };

  return {
    async use(work) {
      const connection = await open();
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
    },
    follow(told) {
      changed = told;
      told();
      return () => {
        changed = null;
        stopLooking();
        kept?.close();
        kept = null;
      };
    },
  };
}
