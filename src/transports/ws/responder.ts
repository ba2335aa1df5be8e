import { budgets } from '../../access/limits/budgets.ts';
import { byEvent } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import { preparedLength } from '../../core/json/prepared-json.ts';
import { isSelecting, select, selectionIn } from '../../core/json/selection.ts';
import type { EntityEvent } from '../../core/readings/entities.ts';
import { createRequestLines, type RequestLines } from '../../core/request-log.ts';
import { requireScope, type WayBack } from '../../core/service.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import type { LongAnswer } from './connection-budget.ts';
import type { Connections, ConnectionsParts } from './connections.ts';
import { createDataEvents, type DataAnswer, type DataEvent } from './data-events.ts';
import { parseRequest, refusalText, replyText, type WireRequest } from './envelope.ts';
import type { SocketSession } from './session.ts';
import { exceeds } from './wire.ts';

/** Answers one message of a client. Throws only on unexpected errors. */
export type Respond = (session: SocketSession, frame: string) => void;

/** Receives how a request ended; null: request lines are off. */
type Ended = ((outcome: string) => void) | null;

type Responder = Pick<ConnectionsParts, 'service' | 'log' | 'control'> & {
  connections: Connections;
  requestLines: RequestLines;
  actionEvents: ReturnType<typeof byEvent>;
  dataEvents: ReadonlyMap<string, DataEvent>;
};

const maxBusy = budgets.caller.busy;
const longAnswer = 1024 * 1024;

export function createResponder(parts: ConnectionsParts, connections: Connections): Respond {
  const { service, log, control, clock } = parts;
  const responder: Responder = {
    service,
    log,
    control,
    connections,
    requestLines: createRequestLines('ws', log, clock),
    actionEvents: byEvent(service.actions),
    dataEvents: createDataEvents(parts, connections),
  };
  return (session, frame) => respond(responder, session, frame);
}

function respond(responder: Responder, session: SocketSession, frame: string): void {
  if (session.closed) return;
  const seen = { id: '', event: '' };
  const ended = noteEnd(responder, session, seen);
  try {
    const request = parseRequest(frame, seen);
    seen.event = request.event;
    answer(responder, session, request, ended);
  } catch (thrown) {
    refuse(responder, session, seen.id, thrown, ended);
  }
}

function noteEnd({ requestLines }: Responder, session: SocketSession, seen: { event: string }): Ended {
  const finishLine = requestLines.begin();
  if (finishLine === null) return null;
  return (outcome) => {
    const what = seen.event === '' ? 'a message' : JSON.stringify(seen.event.slice(0, 64));
    finishLine({ what, outcome, address: session.peer.address, who: session.caller?.tokenName ?? null });
  };
}

function answer(responder: Responder, session: SocketSession, request: WireRequest, ended: Ended): void {
  const caller = authorize(responder, session, request.token);
  const dataEvent = responder.dataEvents.get(request.event);
  if (session.busy >= (dataEvent === undefined ? maxBusy.action : maxBusy.data)) throw tooBusy();
  if (dataEvent === undefined && (session.backlog?.answersLength ?? 0) > longAnswer) throw unread();
  const answered =
    dataEvent === undefined ? run(responder, session, caller, request) : dataEvent(session, caller, request);
  if (answered instanceof Promise) void settle(responder, session, request.id, answered, ended);
  else finish(responder, session, request.id, answered, ended);
}

function authorize({ service, connections }: Responder, session: SocketSession, token: string): Caller {
  try {
    const caller = service.authorize([token], () => session.peer);
    if (!connections.budget.recognised(session, caller)) throw tooMany();
    return caller;
  } catch (thrown) {
    // Clients of this API know only `unauthorized` for a refused token.
    if (thrown instanceof ServiceError && thrown.code === 'rate_limited') {
      throw new ServiceError('unauthorized', thrown.message, { retryAfterSeconds: thrown.retryAfterSeconds ?? 0 });
    }
    throw thrown;
  }
}

const run = (responder: Responder, session: SocketSession, caller: Caller, request: WireRequest) =>
  (request.event === 'CONTROL_ENTITY' ? controlEntity : perform)(responder, session, caller, request);

/** Runs the action of an entity; what it reports comes as events of entities. */
async function controlEntity(
  { service, connections: { outbox }, control }: Responder,
  session: SocketSession,
  caller: Caller,
  { id, data: { key, value } }: WireRequest,
): Promise<DataAnswer> {
  requireScope(caller, 'read');
  if (typeof key !== 'string') throw new ServiceError('invalid', 'key must be a text: the key of an entity');
  const command = await control(key, value);
  if (command === null) throw new ServiceError('not_found', 'There are no entities here');
  const show = (event: EntityEvent | null) => {
    if (event !== null) outbox.answer(session, replyText(id, 'ENTITY_EVENT', event));
  };
  const notify = (type: string, data: unknown) => show(command.onMessage(type, data));
  const result = await service.perform(command.action, command.input, caller, {
    notify,
    report: notify,
    gone: () => goneSignal(session),
  });
  show(command.onDone(result));
  return { type: 'ENTITY_CONTROLLED', data: { key }, message: result.message };
}

async function perform(
  { service, connections, actionEvents }: Responder,
  session: SocketSession,
  caller: Caller,
  request: WireRequest,
): Promise<DataAnswer> {
  const known = actionEvents.get(request.event);
  if (known === undefined) {
    throw new ServiceError('invalid', `There is no event ${JSON.stringify(request.event.slice(0, 64))}`, {
      subtype: 'UNKNOWN_EVENT',
    });
  }
  const way = wayBack(connections, session, request.id);
  const { action, reply: type } = known;
  const selection = action.effect === 'read' ? selectionIn(request.data) : null;
  const input =
    selection === null
      ? request.data
      : Object.fromEntries(Object.entries(request.data).filter(([name]) => !isSelecting(name)));
  const { data, message } = await service.perform(action, input, caller, way);
  // Before it is copied or joined: many requests may get long lists at the same time.
  const length = preparedLength(data);
  const long = length > longAnswer ? takeLong(connections, session, length) : undefined;
  try {
    const part = selection === null ? data : select(data, selection, await action.output(), action.name);
    return { type, data: part, message, ...(long && { long }) };
  } catch (thrown) {
    long?.delivered();
    throw thrown;
  }
}

/** Not inside `perform`: an action may hold `notify` for long, and functions of an async function hold its request. */
const wayBack = ({ outbox }: Connections, session: SocketSession, id: string): WayBack => ({
  notify: (type, progress) => outbox.answer(session, replyText(id, type, progress)),
  gone: () => goneSignal(session),
});

async function settle(
  responder: Responder,
  session: SocketSession,
  id: string,
  answered: Promise<DataAnswer>,
  ended: Ended,
): Promise<void> {
  session.busy++;
  try {
    finish(responder, session, id, await answered, ended);
  } catch (thrown) {
    refuse(responder, session, id, thrown, ended);
  } finally {
    session.busy--;
  }
}

function finish(
  { connections }: Responder,
  session: SocketSession,
  id: string,
  { type, data, message, afterwards, long: taken }: DataAnswer,
  ended: Ended,
): void {
  const { outbox } = connections;
  let long = taken;
  try {
    const text = replyText(id, type, data, message);
    if (exceeds(text, session.peer.longestMessage)) throw tooLong(session.peer.longestMessage);
    if (text.length > longAnswer) long ??= takeLong(connections, session, text.length);
    long?.sending();
    outbox.answer(session, text);
  } finally {
    if (long !== undefined) void outbox.delivered(session).then(long.delivered);
  }
  ended?.(type);
  if (afterwards !== undefined) connections.guarded(session, afterwards);
}

/** One long answer per connection may be unread, within the budget of all connections. */
function takeLong({ budget }: Connections, session: SocketSession, length: number): LongAnswer {
  const long = budget.takeLong(session, length);
  if (long === null) throw unread();
  return long;
}

function refuse(
  { log, connections }: Responder,
  session: SocketSession,
  id: string,
  thrown: unknown,
  ended: Ended,
): void {
  if (!(thrown instanceof ServiceError)) log.error('ws: an unexpected error', thrown);
  const error = toServiceError(thrown);
  connections.outbox.answer(session, refusalText(id, error));
  ended?.(error.code);
}

function goneSignal(session: SocketSession): AbortSignal {
  session.gone ??= new AbortController();
  if (session.closed) session.gone.abort();
  return session.gone.signal;
}

const unread = () => new ServiceError('rate_limited', 'Earlier answers on this connection have not been read yet');

const tooLong = (limit: number) =>
  new ServiceError('failed', `The answer is longer than the ${limit} bytes this client accepts in a message`);

const tooMany = () => new ServiceError('rate_limited', 'There are too many connections with this token');

const tooBusy = () => new ServiceError('rate_limited', 'Too many requests on this connection are still being answered');
