import type { ActionDefinition } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import type { Service } from '../../core/service.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { type Answer, createDataEvents } from './data-events.ts';
import { parseRequest, refusalText, replyText, type WireRequest } from './envelope.ts';
import { createFanOut } from './fan-out.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createOutbox } from './outbox.ts';
import { createSession, type Session } from './session.ts';
import { closeCodes, exceeds, type Publish, type WireEvents } from './wire.ts';

/** The WebSocket API over all its connections. */
export interface Live extends WireEvents<Session> {
  /** False: there are more connections than the service can bear. */
  hasRoom(): boolean;
  /** Says goodbye to everybody. */
  close(): void;
}

export interface LiveParts {
  service: Service;
  log: Log;
  publish: Publish;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  soon(callback: () => void): void;
}

const maxSessions = 8192;
/** Each may send a mebibyte before it is known who it is. When everybody comes back at once, each has a moment to say it. */
const maxStrangers = 64;
const momentMs = 1000;
/** Requests of one connection that are being answered at the same time. Those for data wait for one and the same read. */
const maxBusy = { data: 1024, action: 64 };

export function createLive({ service, log, publish, monotonic, after, soon }: LiveParts): Live {
  const sessions = new Set<Session>();
  const members = new Map<Session, () => void>();
  const events = new Map(service.actions.flatMap(namesOf));
  /** Long answers on their way, by their length. */
  const unreadBy = new Map<Session, number>();
  let stopFollowing: (() => void) | null = null;

  const drop = (session: Session, how: { code: number; reason: string } | null) => {
    if (how === null) session.wire.terminate();
    else session.wire.close(how.code, how.reason);
    forget(session);
  };

  const outbox = createOutbox({
    onBehind: (session) => fanOut.setAside(session),
    onLevel: (session) => fanOut.takeBack(session),
    onFlooded(session) {
      log.warn(`ws: a client at ${session.peer.address} asks without reading the answers; it was let go`);
      drop(session, null);
    },
  });
  const fanOut = createFanOut({ store: service.store, log, publish, outbox, soon });
  const keepAlive = createKeepAlive({ sessions, monotonic, after, drop });
  const dataEvents = createDataEvents({
    monotonic,
    store: service.store,
    fanOut,
    outbox,
    joined: (session) =>
      void members.set(session, service.audience.join({ delivered: () => outbox.delivered(session) })),
    left(session) {
      members.get(session)?.();
      members.delete(session);
    },
    failed(session, problem) {
      log.error('ws: a connection had to be ended', problem);
      drop(session, { code: closeCodes.internal, reason: 'an internal error' });
    },
  });

  const forget = (session: Session) => {
    if (session.closed) return;
    session.closed = true;
    session.gone?.abort();
    sessions.delete(session);
    if (session.listening !== null) {
      for (const name of session.listening.names) fanOut.leave(session, name);
      session.listening = null;
    }
    members.get(session)?.();
    members.delete(session);
    for (const done of session.backlog?.onEmpty ?? []) done();
    session.backlog = null;
    if (sessions.size > 0) return;
    keepAlive.stop();
    stopFollowing?.();
    stopFollowing = null;
  };

  /** A token may be taken back while its owner is connected. */
  const checkCallers = () => {
    for (const session of [...sessions]) {
      const callers = [session.caller, session.listening?.caller ?? null];
      if (callers.every((caller) => caller === null || service.admits(caller))) continue;
      drop(session, { code: closeCodes.policy, reason: 'the token was revoked' });
    }
  };

  const perform = async (session: Session, caller: Caller, request: WireRequest): Promise<Answer> => {
    const known = events.get(request.event);
    if (known === undefined) {
      throw new ServiceError('invalid', `There is no event ${JSON.stringify(request.event.slice(0, 64))}`, {
        subtype: 'UNKNOWN_EVENT',
      });
    }
    const tell = (type: string, data: unknown) => outbox.answer(session, replyText(request.id, type, data));
    const { data, message } = await service.perform(known.action, request.data, caller, {
      tell,
      gone: () => goneSignal(session),
    });
    return { type: known.reply, data, message };
  };

  const answer = (session: Session, request: WireRequest) => {
    const caller = authorize(session, request.token);
    const dataEvent = dataEvents.get(request.event);
    if (session.busy >= (dataEvent === undefined ? maxBusy.action : maxBusy.data)) throw tooBusy();
    if (dataEvent === undefined && (session.backlog?.answersLength ?? 0) > longAnswer) throw unread();
    const answered =
      dataEvent === undefined ? perform(session, caller, request) : dataEvent(session, caller, request.data);
    if (answered instanceof Promise) void settle(session, request.id, answered);
    else finish(session, request.id, answered);
  };

  const authorize = (session: Session, token: string): Caller => {
    try {
      const caller = service.authorize([token], () => session.peer);
      session.caller = caller;
      return caller;
    } catch (thrown) {
      // However often: clients of this API know no other word for it.
      if (thrown instanceof ServiceError && thrown.code === 'rate_limited') {
        throw new ServiceError('unauthorized', thrown.message, { retryAfterSeconds: thrown.retryAfterSeconds ?? 0 });
      }
      throw thrown;
    }
  };

  const settle = async (session: Session, id: string, answered: Promise<Answer>) => {
    session.busy++;
    try {
      finish(session, id, await answered);
    } catch (thrown) {
      refuse(session, id, thrown);
    } finally {
      session.busy--;
    }
  };

  const finish = (session: Session, id: string, { type, data, message, afterwards }: Answer) => {
    const text = replyText(id, type, data, message);
    if (exceeds(text, session.peer.longestMessage)) throw tooLong(session.peer.longestMessage);
    if (text.length > longAnswer) answerLong(session, text);
    else outbox.answer(session, text);
    if (afterwards !== undefined) guarded(session, afterwards);
  };

  /** Whoever asks for long answers and does not read them keeps one, and all together keep no more than is fair. */
  const answerLong = (session: Session, text: string) => {
    if (unreadBy.has(session) || unreadLength() + text.length > maxUnread) throw unread();
    unreadBy.set(session, text.length);
    outbox.answer(session, text);
    void outbox.delivered(session).then(() => unreadBy.delete(session));
  };

  const unreadLength = () => [...unreadBy.values()].reduce((sum, length) => sum + length, 0);

  const refuse = (session: Session, id: string, thrown: unknown) => {
    if (!(thrown instanceof ServiceError)) log.error('ws: an unexpected error', thrown);
    outbox.answer(session, refusalText(id, toServiceError(thrown)));
  };

  /** Whatever goes wrong in here costs the connection, never the process. */
  const guarded = (session: Session, work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error('ws: a connection had to be ended', error);
      drop(session, { code: closeCodes.internal, reason: 'an internal error' });
    }
  };

  return {
    hasRoom() {
      const full = sessions.size >= maxSessions;
      const strangers = [...sessions].filter(({ caller }) => caller === null);
      if (!full && strangers.length < maxStrangers) return true;
      // The oldest stranger makes room: whoever only holds connections keeps nobody out.
      const [oldest] = strangers;
      if (oldest === undefined) return false;
      if (!full && monotonic() - oldest.openedAt < momentMs) return true;
      drop(oldest, { code: closeCodes.tryLater, reason: 'too many connections' });
      return true;
    },
    opened(wire, peer) {
      const session = createSession(wire, peer, monotonic());
      sessions.add(session);
      guarded(session, () => {
        keepAlive.wake();
        stopFollowing ??= service.onTokensChange(checkCallers);
      });
      return session;
    },
    received(session, frame) {
      guarded(session, () => {
        session.heardAt = monotonic();
        if (session.closed) return;
        if (session.caller === null && isLong(frame)) {
          return drop(session, { code: closeCodes.policy, reason: 'a long message before a valid token' });
        }
        const seen = { id: '' };
        try {
          const request = parseRequest(frame, seen);
          answer(session, request);
        } catch (thrown) {
          refuse(session, seen.id, thrown);
        }
      });
    },
    drained: (session) => guarded(session, () => outbox.drained(session)),
    ponged(session) {
      session.heardAt = monotonic();
    },
    closed: (session) => guarded(session, () => forget(session)),
    close() {
      for (const session of [...sessions]) drop(session, { code: closeCodes.goingAway, reason: 'the service ends' });
    },
  };
}

function goneSignal(session: Session): AbortSignal {
  session.gone ??= new AbortController();
  if (session.closed) session.gone.abort();
  return session.gone.signal;
}

/** Before it is known who speaks, more than this is no request of an honest client. */
const strangersLength = 64 * 1024;

function isLong(frame: unknown): boolean {
  return (typeof frame === 'string' ? frame.length : 0) > strangersLength;
}

const longAnswer = 1024 * 1024;
const maxUnread = 64 * 1024 * 1024;

interface KnownEvent {
  action: ActionDefinition;
  reply: string;
}

function namesOf(action: ActionDefinition): [event: string, known: KnownEvent][] {
  const { event, reply, aliases = [] } = action.wire;
  return [{ event, reply }, ...aliases].map((names) => [names.event, { action, reply: names.reply }]);
}

/** Answers may be long; whoever asks for more of them takes what is there first. */
function unread(): ServiceError {
  return new ServiceError('rate_limited', 'There are answers on this connection that were not read yet');
}

function tooLong(limit: number): ServiceError {
  return new ServiceError('failed', `The answer has more than the ${limit} bytes that this client takes in a message`);
}

function tooBusy(): ServiceError {
  return new ServiceError('rate_limited', 'Too many requests of this connection are still being answered');
}
