import type { Place } from '../../access/limits/admission-queue.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { TrackedSocket } from '../../access/limits/connection-limits.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { type Caller, type PeerEnd, shownAddress } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { createRequestLines } from '../../core/request-log.ts';
import type { Publish, WireEvents } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import type { Later } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { createSpending } from './connection-budget.ts';
import { createDataEvents, type DataAnswer } from './data-events.ts';
import { parseRequest, refusalText, replyText, type WireRequest } from './envelope.ts';
import { createFanOut } from './fan-out.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createOutbox } from './outbox.ts';
import { createSocketSession, type SocketSession } from './session.ts';
import { closeCodes, exceeds } from './wire.ts';
import { createPace } from './work-queue.ts';

/** The WebSocket API over all its connections. */
export interface Live extends WireEvents<SocketSession> {
  /** A place for one connection; null: there are too many. */
  enter(address: string, gone: () => AbortSignal, isAuthenticated: boolean): Later<Place | null>;
  /** The connection of this peer; null: there is none. */
  socketAt(end: PeerEnd, isSecure: boolean): TrackedSocket | null;
  /** Connections that have shown a token. */
  clients(most: number, now: number): ConnectedClient[];
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

/** Takes how a request ended. */
type Ended = ((outcome: string) => void) | null;

const maxBusy = budgets.caller.busy;

export function createLive({ service, log, publish, monotonic, after, soon }: LiveParts): Live {
  const sessions = new Set<SocketSession>();
  const requestLines = createRequestLines('ws', log, { monotonic, after });
  const pace = createPace<SocketSession>({
    turnMs: budgets.all.turnMs,
    most: { each: budgets.caller.waitingMessages, size: budgets.all.waitingMessages },
    monotonic,
    soon,
  });
  const members = new Map<SocketSession, () => void>();
  const events = new Map(service.actions.flatMap(namesOf));
  let stopFollowing: (() => void) | null = null;

  const drop = (session: SocketSession, how: { code: number; reason: string } | null) => {
    if (how === null) session.wire.terminate();
    else session.wire.close(how.code, how.reason);
    forget(session);
  };

  const spending = createSpending({ log, monotonic, after, drop });
  const flooded = (session: SocketSession) => {
    log.warn(
      `ws: a client at ${shownAddress(session.peer.address)} sends requests without reading the answers; it was disconnected`,
    );
    drop(session, null);
  };

  const outbox = createOutbox({
    onBehind(session) {
      fanOut.setAside(session);
      spending.behind(session);
    },
    onLevel(session) {
      spending.level(session);
      fanOut.takeBack(session);
    },
    onFlooded: (session) => flooded(session),
  });
  const fanOut = createFanOut({ log, publish, outbox, monotonic, soon });
  const keepAlive = createKeepAlive({ sessions, monotonic, after, drop, checkCallers: () => checkCallers() });
  const dataEvents = createDataEvents({
    monotonic,
    store: service.store,
    fanOut,
    outbox,
    joined(session) {
      const delivered = () => {
        fanOut.flush();
        return outbox.delivered(session);
      };
      members.set(session, service.audience.join({ delivered }));
    },
    left(session) {
      members.get(session)?.();
      members.delete(session);
    },
    failed(session, problem) {
      log.error('ws: a connection had to be ended', problem);
      drop(session, { code: closeCodes.internal, reason: 'an internal error' });
    },
  });

  const forget = (session: SocketSession) => {
    if (session.closed) return;
    session.closed = true;
    session.gone?.abort();
    sessions.delete(session);
    spending.closed(session);
    pace.forget(session);
    if (session.listening !== null) {
      for (const module of session.listening.modules) fanOut.leave(session, module);
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

  /** A token may be taken back while its owner is connected, or lose scopes. With those that are left it may come again. */
  const checkCallers = () => {
    const admits = rememberingAnswers(service.admits);
    for (const session of [...sessions]) {
      const callers = [session.caller, session.listening?.caller ?? null];
      if (callers.every((caller) => caller === null || admits(caller))) continue;
      drop(session, { code: closeCodes.policy, reason: 'the token was revoked, or may do less' });
    }
  };

  const perform = async (session: SocketSession, caller: Caller, request: WireRequest): Promise<DataAnswer> => {
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

  const answer = (session: SocketSession, request: WireRequest, ended: Ended) => {
    const caller = authorize(session, request.token);
    const dataEvent = dataEvents.get(request.event);
    if (session.busy >= (dataEvent === undefined ? maxBusy.action : maxBusy.data)) throw tooBusy();
    if (dataEvent === undefined && (session.backlog?.answersLength ?? 0) > longAnswer) throw unread();
    const answered =
      dataEvent === undefined ? perform(session, caller, request) : dataEvent(session, caller, request.data);
    if (answered instanceof Promise) void settle(session, request.id, answered, ended);
    else finish(session, request.id, answered, ended);
  };

  /** null: nobody reads these lines. */
  const noteEnd = (session: SocketSession, seen: { event: string }): Ended => {
    const finishLine = requestLines.begin();
    if (finishLine === null) return null;
    return (outcome) => {
      const what = seen.event === '' ? 'a message' : JSON.stringify(seen.event.slice(0, 64));
      finishLine({ what, outcome, address: session.peer.address, who: session.caller?.tokenName ?? null });
    };
  };

  const respond = (session: SocketSession, frame: unknown) => {
    if (session.closed) return;
    const seen = { id: '', event: '' };
    const ended = noteEnd(session, seen);
    try {
      const request = parseRequest(frame, seen);
      seen.event = request.event;
      answer(session, request, ended);
    } catch (thrown) {
      refuse(session, seen.id, thrown, ended);
    }
  };

  const authorize = (session: SocketSession, token: string): Caller => {
    try {
      const caller = service.authorize([token], () => session.peer);
      if (!spending.recognised(session, caller)) throw tooMany();
      return caller;
    } catch (thrown) {
      // However often: clients of this API know no other word for it.
      if (thrown instanceof ServiceError && thrown.code === 'rate_limited') {
        throw new ServiceError('unauthorized', thrown.message, { retryAfterSeconds: thrown.retryAfterSeconds ?? 0 });
      }
      throw thrown;
    }
  };

  const settle = async (session: SocketSession, id: string, answered: Promise<DataAnswer>, ended: Ended) => {
    session.busy++;
    try {
      finish(session, id, await answered, ended);
    } catch (thrown) {
      refuse(session, id, thrown, ended);
    } finally {
      session.busy--;
    }
  };

  const finish = (
    session: SocketSession,
    id: string,
    { type, data, message, afterwards }: DataAnswer,
    ended: Ended,
  ) => {
    const text = replyText(id, type, data, message);
    if (exceeds(text, session.peer.longestMessage)) throw tooLong(session.peer.longestMessage);
    if (text.length > longAnswer) answerLong(session, text);
    else outbox.answer(session, text);
    ended?.(type);
    if (afterwards !== undefined) guarded(session, afterwards);
  };

  /** Whoever asks for long answers and does not read them keeps one, and all together keep no more than is fair. */
  const answerLong = (session: SocketSession, text: string) => {
    if (!spending.mayHaveLong(session, text.length)) throw unread();
    outbox.answer(session, text);
    spending.hasLong(session, text.length, outbox.delivered(session));
  };

  const refuse = (session: SocketSession, id: string, thrown: unknown, ended: Ended) => {
    if (!(thrown instanceof ServiceError)) log.error('ws: an unexpected error', thrown);
    const error = toServiceError(thrown);
    outbox.answer(session, refusalText(id, error));
    ended?.(error.code);
  };

  /** Whatever goes wrong in here costs the connection, never the process. */
  const guarded = (session: SocketSession, work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error('ws: a connection had to be ended', error);
      drop(session, { code: closeCodes.internal, reason: 'an internal error' });
    }
  };

  return {
    enter: spending.enter,
    socketAt: spending.socketAt,
    clients(most, now) {
      const found: ConnectedClient[] = [];
      for (const { caller, peer, openedAt } of sessions) {
        if (caller === null) continue;
        const since = now - (monotonic() - openedAt);
        found.push({ caller, software: peer.software ?? null, through: 'websocket', since });
        if (found.length >= most) break;
      }
      return found;
    },
    opened(wire, peer, place) {
      const session = createSocketSession(wire, peer, place, monotonic());
      sessions.add(session);
      spending.opened(session);
      guarded(session, () => {
        keepAlive.wake();
        stopFollowing ??= service.onTokensChange(checkCallers);
        if (peer.caller !== undefined) spending.recognised(session, peer.caller);
      });
      return session;
    },
    received(session, frame) {
      guarded(session, () => {
        session.heardAt = monotonic();
        if (session.closed) return;
        spending.took(session, frame);
        session.messages++;
        if (session.caller === null && isLong(frame)) {
          return drop(session, { code: closeCodes.policy, reason: 'a long message before a valid token' });
        }
        if (session.caller === null && session.messages > budgets.unauthenticated.messages) {
          return drop(session, { code: closeCodes.policy, reason: 'many messages before a valid token' });
        }
        const length = typeof frame === 'string' ? frame.length : 0;
        if (pace.run(session, length, () => guarded(session, () => respond(session, frame)))) return;
        if (session.backlog !== null) return flooded(session);
        drop(session, { code: closeCodes.tryLater, reason: 'more messages than can be answered' });
      });
    },
    drained: (session) => guarded(session, () => outbox.drained(session)),
    ponged(session) {
      session.heardAt = monotonic();
    },
    closed: (session) => guarded(session, () => forget(session)),
    close() {
      for (const session of [...sessions])
        drop(session, { code: closeCodes.goingAway, reason: 'the service is stopping' });
    },
  };
}

/** Thousands of connections may have one token. */
function rememberingAnswers(admits: Service['admits']): (caller: Caller) => boolean {
  const answers = new Map<string, boolean>();
  return (caller) => {
    const key = [caller.tokenId, ...caller.scopes].join(' ');
    const answer = answers.get(key) ?? admits(caller);
    answers.set(key, answer);
    return answer;
  };
}

function goneSignal(session: SocketSession): AbortSignal {
  session.gone ??= new AbortController();
  if (session.closed) session.gone.abort();
  return session.gone.signal;
}

/** Before it is known who speaks, more than this is no request of an honest client. */
function isLong(frame: unknown): boolean {
  return (typeof frame === 'string' ? frame.length : 0) > budgets.unauthenticated.messageLength;
}

const longAnswer = 1024 * 1024;

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
  return new ServiceError('rate_limited', 'Earlier answers on this connection have not been read yet');
}

function tooLong(limit: number): ServiceError {
  return new ServiceError('failed', `The answer is longer than the ${limit} bytes this client accepts in a message`);
}

function tooMany(): ServiceError {
  return new ServiceError('rate_limited', 'There are too many connections with this token');
}

function tooBusy(): ServiceError {
  return new ServiceError('rate_limited', 'Too many requests on this connection are still being answered');
}
