import type { PulseConnection } from '@hostler/pulseaudio/connection.ts';
import { isAccessDenied, NoPulseServer, openPulse, type PulseHost } from '../../host/linux/sound/pulse.ts';
import { closedOnFailure } from '../../lib/closing.ts';

/** Retries after a server has ended or did not answer; after these it is found at the next regular read. ms */
const retryAfterMs = [300, 700, 1500, 3000, 6000];

/**
 * PipeWire (0.3.65) may permanently stop to announce its default devices to all clients when a program disconnects during its registration.
 * Existing connections then read outdated defaults; a new connection reads the current ones. ms
 */
const renewedMs = 25_000;

/** A connection that stays open while there is a listener, and is renewed when it was lost. */
export function createFollowedPulse(
  host: PulseHost,
  timeoutMs: number,
  subscribe: (connection: PulseConnection) => Promise<void>,
) {
  const { clock } = host;
  let changed: (() => void) | null = null;
  let current: PulseConnection | null = null;
  let openedAt = 0;
  /** null: the last use succeeded. Retries are scheduled once for each outage. */
  let cancelRetries: (() => void)[] | null = null;

  const retry = () => {
    cancelRetries ??= retryAfterMs.map((ms) => clock.after(ms, notify));
  };

  const stopRetrying = () => {
    for (const cancel of cancelRetries ?? []) cancel();
    cancelRetries = null;
  };

  const open = async (): Promise<PulseConnection> => {
    const old = current?.isOpen() === true ? current : null;
    if (old !== null && clock.monotonic() - openedAt < renewedMs) return old;
    try {
      return await adopt(await openPulse(host, timeoutMs, { received: notify, ended: lose }));
    } catch (error) {
      if (old?.isOpen() === true) return old;
      throw error;
    }
  };

  const adopt = async (connection: PulseConnection): Promise<PulseConnection> => {
    if (changed !== null) await closedOnFailure(connection, subscribe);
    // Without a listener the connection is closed after its use.
    if (changed === null) return connection;
    current?.close();
    current = connection;
    openedAt = clock.monotonic();
    return connection;
  };

  const notify = () => changed?.();

  /** Also called for connections that are closed after their use; then the current one is still open. */
  const lose = () => {
    if (current === null || current.isOpen()) return;
    // After a protocol error its socket is still open.
    current.close();
    current = null;
    if (changed === null) return;
    retry();
    notify();
  };

  const useOf = async <T>(connection: PulseConnection, work: (connection: PulseConnection) => Promise<T>) => {
    try {
      connection.limit(timeoutMs);
      return await work(connection);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      if (connection === current) connection.limit(null);
      else connection.close();
    }
  };

  return {
    /** Runs `work` with a time limit, over the open connection or over one that is closed afterwards. */
    async use<T>(work: (connection: PulseConnection) => Promise<T>): Promise<T> {
      try {
        const result = await useOf(await open(), work);
        stopRetrying();
        return result;
      } catch (error) {
        // The server runs, and does not announce that it answers again.
        if (changed !== null && !(error instanceof NoPulseServer) && !isAccessDenied(error)) retry();
        throw error;
      }
    },
    /**
     * Calls back for every change, when the server ends, and when it may be back. The subscription starts with the next `use`. Returns a function
     * that stops.
     */
    follow(listener: () => void): () => void {
      changed = listener;
      return () => {
        changed = null;
        stopRetrying();
        current?.close();
        current = null;
      };
    },
  };
}
