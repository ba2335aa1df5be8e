import { budgets } from '../../access/limits/budgets.ts';
import type { UnreadBudget } from '../../access/limits/unread-budget.ts';
import { type Caller, shownAddress } from '../../core/caller.ts';
import type { EntityCommand, Feed, Publish } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SharedTimers } from '../../lib/shared-timers.ts';
import { type ConnectionBudget, createConnectionBudget } from './connection-budget.ts';
import { createFanOut, type FanOut } from './fan-out.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { Drop, SocketSession } from './session.ts';
import { closeCodes } from './wire.ts';
import { createWorkQueue } from './work-queue.ts';

export interface ConnectionsParts {
  service: Service;
  /** What clients can listen to besides the modules. */
  feeds: ReadonlyMap<string, Feed>;
  /** What a value of an entity runs; null: there are no entities. */
  control(key: string, value: unknown): Promise<EntityCommand | null>;
  log: Log;
  publish: Publish;
  unread: UnreadBudget;
  clock: Pick<Clock, 'monotonic' | 'after'>;
  timers: SharedTimers;
  soon(callback: () => void): void;
}

export type Connections = ReturnType<typeof createConnections>;

/** The open connections: what they send, receive and cost, and how they end. */
export function createConnections(parts: ConnectionsParts) {
  const { service, log, clock, timers } = parts;
  const sessions = new Set<SocketSession>();
  const subscriptions = new Map<SocketSession, () => void>();
  const workQueue = createWorkQueue<SocketSession>({
    turnMs: budgets.all.turnMs,
    most: { each: budgets.caller.waitingMessages, size: budgets.all.waitingMessages },
    monotonic: clock.monotonic,
    soon: parts.soon,
  });
  let stopFollowing: (() => void) | null = null;

  const drop: Drop = (session, how) => {
    if (how === null) session.wire.terminate();
    else session.wire.close(how.code, how.reason);
    forget(session);
  };
  /** Drops a client that sends requests and does not read the answers. */
  const flooded = (session: SocketSession) => {
    log.warn(
      `ws: a client at ${shownAddress(session.peer.address)} sends requests without reading the answers; it was disconnected`,
    );
    drop(session, null);
  };
  const budget = createConnectionBudget({ log, unread: parts.unread, clock, drop });
  const { outbox, fanOut } = createSending(parts, budget, flooded);

  /** A token can be revoked or lose scopes while its client is connected. */
  const checkCallers = () => {
    for (const session of revokedIn(sessions, service.admits))
      drop(session, { code: closeCodes.policy, reason: 'the token was revoked, or may do less' });
  };
  const keepAlive = createKeepAlive({ sessions, clock, timers, drop, checkCallers });

  const unsubscribe = (session: SocketSession) => {
    subscriptions.get(session)?.();
    subscriptions.delete(session);
  };

  const forget = (session: SocketSession) => {
    if (session.closed) return;
    session.closed = true;
    session.gone?.abort();
    sessions.delete(session);
    budget.closed(session);
    workQueue.forget(session);
    for (const module of session.listening?.modules ?? []) fanOut.leave(session, module);
    session.listening = null;
    unsubscribe(session);
    outbox.forget(session);
    if (sessions.size > 0) return;
    keepAlive.stop();
    stopFollowing?.();
    stopFollowing = null;
  };

  const failed = (session: SocketSession, error: unknown) => {
    log.error('ws: a connection was closed after an unexpected error', error);
    drop(session, { code: closeCodes.internal, reason: 'an internal error' });
  };
  /** Runs this; an exception closes the connection and not the process. */
  const guarded = (session: SocketSession, work: () => void) => {
    try {
      work();
    } catch (error) {
      failed(session, error);
    }
  };

  return {
    sessions,
    budget,
    outbox,
    fanOut,
    workQueue,
    add(session: SocketSession) {
      sessions.add(session);
      budget.opened(session);
      guarded(session, () => {
        keepAlive.wake();
        stopFollowing ??= service.onTokensChange(checkCallers);
        if (session.peer.caller !== undefined) budget.recognised(session, session.peer.caller);
      });
    },
    drop,
    flooded,
    forget,
    subscribe(session: SocketSession) {
      const delivered = () => {
        fanOut.flush();
        return outbox.delivered(session);
      };
      subscriptions.set(session, service.subscribers.join({ delivered }));
    },
    unsubscribe,
    failed,
    guarded,
  };
}

/** A client that falls behind leaves the fan-out until it has read everything. */
function createSending(
  { log, publish, clock: { monotonic }, soon }: ConnectionsParts,
  budget: ConnectionBudget,
  onFlooded: (session: SocketSession) => void,
): { outbox: Outbox; fanOut: FanOut } {
  const outbox = createOutbox({
    hold: budget.hold,
    onBuffered: budget.behind,
    onBehind(session) {
      fanOut.setAside(session);
      budget.behind(session);
    },
    onLevel(session) {
      budget.level(session);
      fanOut.takeBack(session);
    },
    onFlooded,
  });
  const fanOut = createFanOut({ log, publish, outbox, monotonic, soon });
  return { outbox, fanOut };
}

function revokedIn(sessions: Iterable<SocketSession>, admits: Service['admits']): SocketSession[] {
  const isAdmitted = rememberingAnswers(admits);
  return [...sessions].filter(({ caller, listening }) =>
    [caller, listening?.caller ?? null].some((each) => each !== null && !isAdmitted(each)),
  );
}

/** Thousands of connections may share one token. */
function rememberingAnswers(admits: Service['admits']): (caller: Caller) => boolean {
  const answers = new Map<string, boolean>();
  return (caller) => {
    const key = [caller.tokenId, ...caller.scopes].join(' ');
    const answer = answers.get(key) ?? admits(caller);
    answers.set(key, answer);
    return answer;
  };
}
