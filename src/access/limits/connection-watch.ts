import type { OwnSockets } from '../../host/socket-inspector.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SharedTimers } from '../../lib/shared-timers.ts';
import { type ConnectionLimiter, type ConnectionLimiterParts, createConnectionLimiter } from './connection-limiter.ts';
import { manySockets } from './connection-limits.ts';

/**
 * Starts the connection limiter when this process has many sockets. The limiter loads native code, which takes 2 MiB; a service with a few clients never
 * does. Connections that send requests are noticed within `requestEveryMs`, silent ones within `idleEveryMs`.
 */
export interface ConnectionWatch {
  /** The TLS port was opened. The limiter starts at once: a half handshake counts as answered, so a flood must not build up before it. */
  opened(): void;
  /** Call it with each request. */
  requested(): void;
  stop(): void;
}

export interface ConnectionWatchParts {
  own: Pick<OwnSockets, 'countDescriptors' | 'countSockets'>;
  clock: Pick<Clock, 'monotonic'>;
  timers: SharedTimers;
  limiter: ConnectionLimiter;
}

/** null: the platform offers no way to inspect connections. */
export function limitConnections(
  own: OwnSockets | null,
  timers: SharedTimers,
  parts: Omit<ConnectionLimiterParts, 'open'>,
): ConnectionWatch | null {
  if (own === null) return null;
  const limiter = createConnectionLimiter({ ...parts, open: own.inspect });
  return watchConnections({ own, clock: parts.clock, timers, limiter });
}

export function watchConnections({ own, clock, timers, limiter }: ConnectionWatchParts): ConnectionWatch {
  let state: 'watching' | 'limiting' | 'stopped' = 'watching';
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** Descriptors that are not sockets, at the last count of sockets. */
  let files = 0;

  const hasManySockets = () => {
    const descriptors = own.countDescriptors();
    if (descriptors !== null && descriptors - files < manySockets) return false;
    const sockets = own.countSockets();
    if (descriptors === null || sockets === null) return true;
    files = descriptors - sockets;
    return sockets >= manySockets;
  };

  const check = () => {
    checkedAt = clock.monotonic();
    if (!hasManySockets()) return;
    state = 'limiting';
    cancel();
    limiter.opened();
  };

  /** Shares the wake-up of the history recorder, which has the same interval by default. */
  const schedule = (): (() => void) =>
    timers.next(idleEveryMs, () => {
      check();
      if (state === 'watching') cancel = schedule();
    });
  let cancel = schedule();

  return {
    opened() {
      if (state === 'stopped') return;
      state = 'limiting';
      cancel();
      limiter.opened();
    },
    requested() {
      if (state === 'watching' && clock.monotonic() - checkedAt >= requestEveryMs) check();
    },
    stop() {
      state = 'stopped';
      cancel();
      limiter.stop();
    },
  };
}

export const idleEveryMs = 15_000;
/** At 10 Mbit/s some 4,000 connections arrive in a second. */
export const requestEveryMs = 100;
