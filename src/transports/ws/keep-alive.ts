import { budgets } from '../../access/limits/budgets.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SharedTimers } from '../../lib/shared-timers.ts';
import type { Drop, SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';

export interface KeepAliveParts {
  sessions: ReadonlySet<SocketSession>;
  clock: Pick<Clock, 'monotonic' | 'after'>;
  timers: SharedTimers;
  drop: Drop;
  /** Closes connections whose token is no longer valid. */
  checkCallers(): void;
}

const { tokenWithinMs } = budgets.unauthenticated;
/** A client that was heard from, such as one with pings of its own, needs none of ours: each wakes the service twice. */
const silentMs = 20_000;
const deadAfterMs = 75_000;
/** Interval while a connection without a token has a deadline; otherwise the longer one applies. */
const checkSoonMs = 1000;
const checkMs = 30_000;

/** Closes connections that show no token in time, pings those that are silent, and closes those that do not answer. */
export function createKeepAlive({ sessions, clock, timers, drop, checkCallers }: KeepAliveParts) {
  let cancel: (() => void) | null = null;
  let isSoon = false;

  const check = () => {
    cancel = null;
    const now = clock.monotonic();
    // Changes are notified at once; the expiry of a browser session is not.
    checkCallers();
    let unauthenticated = false;
    for (const session of sessions) {
      if (session.caller === null && now - session.openedAt >= tokenWithinMs) {
        drop(session, { code: closeCodes.policy, reason: 'no valid token came within 10 s' });
      } else if (now - session.lastSeenAt >= deadAfterMs) {
        drop(session, null);
      } else {
        unauthenticated ||= session.caller === null;
        if (session.awaitsPong || now - session.lastSeenAt < silentMs) continue;
        session.awaitsPong = true;
        session.wire.ping();
      }
    }
    if (sessions.size > 0) schedule(unauthenticated);
  };

  const schedule = (soon: boolean) => {
    isSoon = soon;
    cancel = soon ? clock.after(checkSoonMs, check) : timers.next(checkMs, check);
  };

  return {
    /** Call when a session opens; it stops when the last session closes. */
    wake() {
      if (cancel !== null && isSoon) return;
      cancel?.();
      schedule(true);
    },
    stop() {
      cancel?.();
      cancel = null;
    },
  };
}
