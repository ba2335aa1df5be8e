import { budgets } from '../../access/limits/budgets.ts';
import type { SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';

/** Closes connections that show no token in time, pings the others, and closes those that do not answer. */
export interface KeepAlive {
  /** Call when the first session opens; it stops by itself when there are none. */
  wake(): void;
  stop(): void;
}

export interface KeepAliveParts {
  sessions: ReadonlySet<SocketSession>;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  drop(session: SocketSession, how: { code: number; reason: string } | null): void;
  /** Lets those go whose token is not good any more. */
  checkCallers(): void;
}

const { tokenWithinMs } = budgets.unauthenticated;
const pingEveryMs = 30_000;
const deadAfterMs = 75_000;
/** While somebody has no token yet the deadline is close; else a look now and then is enough. */
const lookSoonMs = 1000;
const lookMs = 15_000;

export function createKeepAlive({ sessions, monotonic, after, drop, checkCallers }: KeepAliveParts): KeepAlive {
  let cancel: (() => void) | null = null;
  let lookSooner = false;
  let pingedAt = Number.NEGATIVE_INFINITY;

  const look = () => {
    cancel = null;
    const now = monotonic();
    const ping = now - pingedAt >= pingEveryMs - lookSoonMs / 2;
    if (ping) pingedAt = now;
    // What is changed is told at once; that time has run out for a browser is not.
    checkCallers();
    let unauthenticated = false;
    for (const session of sessions) {
      if (session.caller === null && now - session.openedAt >= tokenWithinMs) {
        drop(session, { code: closeCodes.policy, reason: 'no valid token came within 10 s' });
      } else if (now - session.heardAt >= deadAfterMs) {
        drop(session, null);
      } else {
        unauthenticated ||= session.caller === null;
        if (ping) session.wire.ping();
      }
    }
    if (sessions.size > 0) schedule(unauthenticated);
  };

  const schedule = (soon: boolean) => {
    lookSooner = soon;
    cancel = after(soon ? lookSoonMs : lookMs, look);
  };

  return {
    wake() {
      if (cancel !== null && lookSooner) return;
      cancel?.();
      schedule(true);
    },
    stop() {
      cancel?.();
      cancel = null;
    },
  };
}
