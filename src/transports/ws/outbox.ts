import { budgets } from '../../access/limits/budgets.ts';
import type { Backlog, SocketSession, Unsent } from './session.ts';

export interface OutboxParts {
  /** Counts a text that waits; null: too much does. */
  hold(session: SocketSession, what: string | number): (() => void) | null;
  /** The client does not keep up; it leaves the topics. */
  onBehind(session: SocketSession): void;
  /** The runtime buffers another amount for a client that does not keep up. */
  onBuffered(session: SocketSession): void;
  onLevel(session: SocketSession): void;
  onFlooded(session: SocketSession): void;
}

const maxWaiting = budgets.caller.waitingAnswers;
/** Shorter texts cost more time to compress than they save, and longer ones block the event loop. */
const worthCompressing = { from: 1024, to: 1024 * 1024 };

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox({ hold, onBehind, onBuffered, onLevel, onFlooded }: OutboxParts) {
  const write = (session: SocketSession, text: string) =>
    void session.wire.send(text, session.peer.compresses && isWorthCompressing(text.length));

  /** Call after sending by other means: detects a client that does not keep up. */
  const check = (session: SocketSession): Backlog | null => {
    if (session.backlog !== null || session.closed || session.wire.getBufferedAmount() === 0) return session.backlog;
    session.backlog = { answers: [], answersLength: 0, updates: new Map(), onEmpty: [] };
    onBehind(session);
    return session.backlog;
  };

  const next = ({ answers, updates }: Backlog): Unsent | undefined => {
    const answer = answers.shift();
    if (answer !== undefined) return answer;
    const [first] = updates;
    if (first === undefined) return undefined;
    updates.delete(first[0]);
    return first[1];
  };

  const withdraw = ({ backlog }: SocketSession, name: string) => {
    backlog?.updates.get(name)?.release();
    backlog?.updates.delete(name);
  };

  /** null: the connection was closed instead. */
  const keep = (session: SocketSession, text: string, counted: string | number): Unsent | null => {
    const release = hold(session, counted);
    if (release !== null) return { text, release };
    onFlooded(session);
    return null;
  };

  return {
    /** Sends an answer: never replaced, never dropped. */
    answer(session: SocketSession, text: string) {
      if (session.closed) return;
      const { backlog } = session;
      if (backlog === null) {
        write(session, text);
        check(session);
        return;
      }
      // Answers are not shared, even if they are equal.
      const unsent = keep(session, text, text.length);
      if (unsent === null) return;
      backlog.answers.push(unsent);
      backlog.answersLength += text.length;
      // A single answer may be longer, such as a large directory.
      if (backlog.answersLength > maxWaiting && backlog.answers.length > 1) onFlooded(session);
    },
    update(session: SocketSession, name: string, text: string) {
      if (session.closed) return;
      if (session.backlog === null) {
        write(session, text);
        check(session);
      } else {
        // A newer one keeps the place in the order.
        session.backlog.updates.get(name)?.release();
        const unsent = keep(session, text, text);
        if (unsent !== null) session.backlog.updates.set(name, unsent);
      }
    },
    withdraw,
    forget(session: SocketSession) {
      const { backlog } = session;
      if (backlog === null) return;
      for (const { release } of [...backlog.answers, ...backlog.updates.values()]) release();
      for (const done of backlog.onEmpty) done();
      session.backlog = null;
    },
    check,
    drained(session: SocketSession) {
      const { backlog, wire } = session;
      if (backlog === null) return;
      while (wire.getBufferedAmount() === 0) {
        const unsent = next(backlog);
        if (unsent === undefined) {
          session.backlog = null;
          for (const done of backlog.onEmpty) done();
          if (!session.closed) onLevel(session);
          return;
        }
        const { text, release } = unsent;
        release();
        backlog.answersLength = backlog.answers.length === 0 ? 0 : backlog.answersLength - text.length;
        write(session, text);
      }
      onBuffered(session);
    },
    /** Resolves when everything is handed to the system. */
    delivered(session: SocketSession): Promise<void> {
      const backlog = check(session);
      if (backlog === null || session.closed) return Promise.resolve();
      return new Promise((resolve) => {
        backlog.onEmpty.push(resolve);
      });
    },
  };
}

export function isWorthCompressing(length: number): boolean {
  return length >= worthCompressing.from && length <= worthCompressing.to;
}
