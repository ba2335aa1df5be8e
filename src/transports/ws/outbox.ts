import { budgets } from '../../access/limits/budgets.ts';
import type { Backlog, SocketSession } from './session.ts';

export interface Outbox {
  /** Sends an answer: never replaced, never dropped. */
  answer(session: SocketSession, text: string): void;
  /** Sends an update of a module to one client. */
  update(session: SocketSession, name: string, text: string): void;
  /** Call after sending by other means: detects a client that does not keep up. */
  check(session: SocketSession): void;
  drained(session: SocketSession): void;
  /** Resolves when everything is handed to the system. */
  delivered(session: SocketSession): Promise<void>;
}

export interface OutboxParts {
  /** The client does not keep up; it leaves the topics. */
  onBehind(session: SocketSession): void;
  /** The client has caught up. */
  onLevel(session: SocketSession): void;
  /** The limit of unread answers is exceeded. */
  onFlooded(session: SocketSession): void;
}

const maxWaiting = budgets.caller.waitingAnswers;
/** Shorter texts cost more time to compress than they save, and longer ones block the event loop. */
const worthCompressing = { from: 1024, to: 1024 * 1024 };

export function createOutbox({ onBehind, onLevel, onFlooded }: OutboxParts): Outbox {
  const write = (session: SocketSession, text: string) =>
    void session.wire.send(text, session.peer.compresses && isWorthCompressing(text.length));

  const check = (session: SocketSession): Backlog | null => {
    if (session.backlog !== null || session.closed || session.wire.getBufferedAmount() === 0) return session.backlog;
    session.backlog = { answers: [], answersLength: 0, updates: new Map(), onEmpty: [] };
    onBehind(session);
    return session.backlog;
  };

  const next = ({ answers, updates }: Backlog): string | undefined => {
    const answer = answers.shift();
    if (answer !== undefined) return answer;
    const [first] = updates;
    if (first === undefined) return undefined;
    updates.delete(first[0]);
    return first[1];
  };

  return {
    answer(session, text) {
      if (session.closed) return;
      const { backlog } = session;
      if (backlog === null) {
        write(session, text);
        check(session);
        return;
      }
      backlog.answers.push(text);
      backlog.answersLength += text.length;
      // A single answer may be longer, such as a large directory.
      if (backlog.answersLength > maxWaiting && backlog.answers.length > 1) onFlooded(session);
    },
    update(session, name, text) {
      if (session.closed) return;
      if (session.backlog === null) {
        write(session, text);
        check(session);
      } else {
        session.backlog.updates.set(name, text);
      }
    },
    check,
    drained(session) {
      const { backlog, wire } = session;
      if (backlog === null) return;
      while (wire.getBufferedAmount() === 0) {
        const text = next(backlog);
        if (text === undefined) {
          session.backlog = null;
          for (const done of backlog.onEmpty) done();
          if (!session.closed) onLevel(session);
          return;
        }
        backlog.answersLength = backlog.answers.length === 0 ? 0 : backlog.answersLength - text.length;
        write(session, text);
      }
    },
    delivered(session) {
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
