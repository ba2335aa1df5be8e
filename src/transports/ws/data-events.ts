import type { Caller } from '../../core/caller.ts';
import { type PayloadSelection, select, selectionIn } from '../../core/json/selection.ts';
import { schemaOfModule } from '../../core/module.ts';
import type { Reading } from '../../core/reading.ts';
import type { Feed } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import type { StoreView } from '../../core/store.ts';
import { ServiceError } from '../../lib/errors.ts';
import { jsonText } from '../../lib/json-text.ts';
import type { Later } from '../../lib/later.ts';
import { isObject } from '../../lib/values.ts';
import type { LongAnswer } from './connection-budget.ts';
import type { Connections, ConnectionsParts } from './connections.ts';
import { UnknownModules, updateText, type WireRequest } from './envelope.ts';
import { topicOf } from './fan-out.ts';
import type { SocketSession } from './session.ts';

export interface DataAnswer {
  type: string;
  data: unknown;
  message?: string;
  /** Called after the answer was sent. */
  afterwards?(): void;
  /** Of a long answer. */
  long?: LongAnswer;
}

export type DataEvent = (
  session: SocketSession,
  caller: Caller,
  request: Pick<WireRequest, 'id' | 'data'>,
) => Later<DataAnswer>;

/** The events about modules. All other events are actions. */
export function createDataEvents(
  { service: { store, modules }, feeds, clock }: Pick<ConnectionsParts, 'service' | 'feeds' | 'clock'>,
  { fanOut, outbox, workQueue, subscribe, unsubscribe, failed }: Connections,
): Map<string, DataEvent> {
  /** Sends the current reading; resolves to an error message, or to the reading. */
  const sendCurrent = (session: SocketSession, view: Feed, name: string): Later<Reading | string> => {
    const send = (reading: Reading): Reading | string => {
      const text = fanOut.frame(name, reading);
      if (text === null) return `${name} is too large to be sent`;
      outbox.update(session, name, text);
      return reading;
    };
    const reading = attempt(() => view.get(name));
    if (typeof reading === 'string') return reading;
    return reading instanceof Promise ? reading.then(send).catch(sentenceOf) : send(reading);
  };

  /** What is done after a wait counts for the turn of the event loop as well. */
  const inTurn = (session: SocketSession, work: () => void) =>
    new Promise<void>((resolve, reject) => {
      const isAccepted = workQueue.run(session, 0, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (!isAccepted) reject(new ServiceError('rate_limited', 'Too many requests wait on this connection'));
    });

  /** Parts of modules, under the id of the request: an update of a listener has another id. */
  const sendSelected = async (
    session: SocketSession,
    id: string,
    view: StoreView,
    names: string[],
    selection: PayloadSelection,
  ): Promise<(Reading | string)[]> => {
    if (names.some((name) => feeds.has(name)))
      throw new ServiceError('invalid', `fields, sort and limit select in modules, not in ${[...feeds.keys()].join()}`);
    const readings = await Promise.all(
      names.map(async (name) => ({
        name,
        reading: await Promise.resolve(attempt(() => view.get(name))).catch(sentenceOf),
      })),
    );
    const found = await Promise.all(
      readings.flatMap(({ name, reading }) =>
        typeof reading === 'string'
          ? []
          : [schemaOfModule(modules, name).then((schema) => ({ name, reading, schema }))],
      ),
    );
    await inTurn(session, () => {
      const parts = found.map(({ name, reading, schema }) => ({
        name,
        part: select(reading.payload, selection, schema, name),
      }));
      for (const { name, part } of parts) outbox.answer(session, updateText(name, jsonText(part), id));
    });
    return readings.map(({ reading }) => reading);
  };

  const stopListening = (session: SocketSession) => {
    const { listening } = session;
    if (listening === null) return;
    for (const module of listening.modules) fanOut.leave(session, module);
    session.listening = null;
    unsubscribe(session);
  };

  /** Replaces the previous list; modules in both lists continue without a gap. */
  const startListening = (session: SocketSession, caller: Caller, names: string[], everyMs: Intervals) => {
    const view = store.seenBy(caller);
    const before = session.listening?.modules ?? [];
    const listening = {
      caller,
      modules: names.map((name) => ({ name, view: feeds.get(name) ?? view, everyMs: everyMs(name) })),
    };
    if (session.listening === null) subscribe(session);
    session.listening = listening;
    // Another token may see more or less of a module.
    const topics = new Set(listening.modules.map(topicOf));
    for (const module of before) if (!topics.has(topicOf(module))) fanOut.leave(session, module);
    for (const module of listening.modules) {
      const sent = sendCurrent(session, feeds.get(module.name) ?? view, module.name);
      // The list may have changed, or the connection closed, before a slow module answered.
      const join = (reading: Reading | string) => {
        if (session.listening !== listening || session.closed) return;
        fanOut.join(session, module, typeof reading === 'string' ? null : reading);
      };
      if (sent instanceof Promise) void sent.then(join).catch((problem) => failed(session, problem));
      else join(sent);
    }
  };

  return new Map<string, DataEvent>([
    [
      'GET_DATA',
      (session, caller, { id, data }) => {
        requireScope(caller, 'read');
        const view = store.seenBy(caller);
        const names = modulesIn(data);
        const selection = selectionIn(data);
        const answer = (results: (Reading | string)[]): DataAnswer => ({
          type: 'DATA_GET',
          // Other keys are dropped, as in every event.
          data: { modules: data.modules },
          message: results.filter((result) => typeof result === 'string').join('; '),
        });
        if (selection !== null) return sendSelected(session, id, view, names, selection).then(answer);
        const sent = names.map((name) => sendCurrent(session, feeds.get(name) ?? view, name));
        const ready = sent.filter((result): result is Reading | string => !(result instanceof Promise));
        return ready.length === sent.length ? answer(ready) : Promise.all(sent).then(answer);
      },
    ],
    [
      'REGISTER_DATA_LISTENER',
      (session, caller, { data }) => {
        requireScope(caller, 'read');
        countRegistration(session, clock.monotonic());
        const requested = modulesIn(data);
        const everyMs = intervalsIn(data);
        const unknown = requested.filter((name) => !store.knows(name) && !feeds.has(name));
        if (unknown.length > 0) throw new UnknownModules(unknown, store.names);
        return {
          type: 'DATA_LISTENER_REGISTERED',
          data: { modules: requested, ...(isGiven(data.interval) && { interval: data.interval }) },
          afterwards: () => startListening(session, caller, requested, everyMs),
        };
      },
    ],
    [
      'UNREGISTER_DATA_LISTENER',
      (session) => {
        if (session.listening === null) {
          throw new ServiceError('invalid', 'Nothing is registered on this connection', {
            subtype: 'LISTENER_NOT_REGISTERED',
          });
        }
        stopListening(session);
        return { type: 'DATA_LISTENER_UNREGISTERED', data: null };
      },
    ],
  ]);
}

/** A registration starts sources: pages change their views, but not many times a second. */
const registrations = { most: 20, withinMs: 10_000 };

function countRegistration(session: SocketSession, now: number): void {
  if (now - session.registrations.since >= registrations.withinMs) session.registrations = { since: now, count: 0 };
  if (++session.registrations.count <= registrations.most) return;
  throw new ServiceError(
    'rate_limited',
    `At most ${registrations.most} registrations in ${registrations.withinMs / 1000} s; the last one stays in effect`,
  );
}

const maxModules = 100;

function modulesIn({ modules }: Record<string, unknown>): string[] {
  if (modules === undefined || modules === null) {
    throw new ServiceError('invalid', 'modules is missing: it lists the modules you want', {
      subtype: 'MISSING_MODULES',
    });
  }
  const isNames = Array.isArray(modules) && modules.every((name) => typeof name === 'string');
  if (!isNames || modules.length > maxModules) {
    throw new ServiceError('invalid', `modules must be a list of at most ${maxModules} names`);
  }
  return [...new Set<string>(modules)];
}

/** The requested milliseconds between two updates of a module; undefined: none were requested. */
type Intervals = (module: string) => number | undefined;

const intervalBounds = { least: 250, most: 86_400_000 };
/** Up to each limit, requested intervals are rounded up to multiples of the step, so that listeners with different intervals share readings and timers. */
const intervalSteps = [
  { upTo: 5000, step: 250 },
  { upTo: 30_000, step: 1000 },
  { upTo: 120_000, step: 5000 },
  { upTo: 3_600_000, step: 60_000 },
  { upTo: 86_400_000, step: 3_600_000 },
];

function intervalsIn({ interval }: Record<string, unknown>): Intervals {
  if (!isGiven(interval)) return () => undefined;
  if (!isObject(interval)) {
    const everyMs = intervalOf(interval);
    return () => everyMs;
  }
  const given = Object.entries(interval).filter(([, value]) => isGiven(value));
  const byModule = new Map(given.slice(0, maxModules).map(([name, value]) => [name, intervalOf(value)]));
  return (module) => byModule.get(module);
}

function intervalOf(value: unknown): number {
  const { least, most } = intervalBounds;
  if (typeof value === 'number' && value >= least && value <= most) {
    const step = intervalSteps.find(({ upTo }) => value <= upTo)?.step ?? least;
    return Math.ceil(value / step) * step;
  }
  throw new ServiceError(
    'invalid',
    `interval must be milliseconds from ${least} to ${most}, or an object with them by module`,
  );
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function attempt<T>(work: () => T): T | string {
  try {
    return work();
  } catch (thrown) {
    return sentenceOf(thrown);
  }
}

/** An absent module does not fail the request: the others are sent and the absent ones are named. */
function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ServiceError && thrown.code === 'not_found') return thrown.message;
  throw thrown;
}
