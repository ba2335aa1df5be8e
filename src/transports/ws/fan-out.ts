import type { Reading } from '../../core/reading.ts';
import type { Publish } from '../../core/route-table.ts';
import type { Log } from '../../lib/log.ts';
import { updateText } from './envelope.ts';
import { isWorthCompressing, type Outbox } from './outbox.ts';
import type { HeardModule, SocketSession } from './session.ts';
import { createRounds } from './topic-publisher.ts';
import { commonLimit, exceeds } from './wire.ts';

/** Updates on their way from the store to everybody who listens: serialised once, framed once. */
export interface FanOut {
  /** The update that carries this reading; null: it is too large to be sent. */
  frame(name: string, reading: Reading): string | null;
  /** From now on the session gets updates of this module, as this view shows it. `seen` is what it was sent just now. */
  join(session: SocketSession, heard: HeardModule, seen: Reading | null): void;
  leave(session: SocketSession, heard: HeardModule): void;
  /** A client that fell behind is served one by one until it has everything again. */
  setAside(session: SocketSession): void;
  takeBack(session: SocketSession): void;
  /** Hands what is on its way to the runtime, however many listen. */
  flush(): void;
}

export interface FanOutParts {
  log: Log;
  publish: Publish;
  monotonic(): number;
  outbox: Pick<Outbox, 'check' | 'update'>;
  /** Runs this when the runtime has written what was published in this turn. */
  soon(callback: () => void): void;
}

interface Topic {
  name: string;
  listeners: Set<SocketSession>;
  /** Those of them that are served one by one. */
  aside: Set<SocketSession>;
  stop(): void;
}

/** Compressing is done for each client: with more of them it costs more than the network does. */
const maxCompressing = 16;

export function createFanOut({ log, publish, outbox, monotonic, soon }: FanOutParts): FanOut {
  /** By what is heard: `variant` of the view. */
  const topics = new Map<string, Topic>();
  const frames = new WeakMap<Reading, Map<string, string>>();
  // Whoever did not take what was published is taken out of the round.
  const rounds = createRounds({ publish, monotonic, soon, check: (session) => void outbox.check(session) });

  const frame = (name: string, reading: Reading): string | null => {
    const known = frames.get(reading) ?? new Map<string, string>();
    const text = known.get(name) ?? updateText(name, reading.text);
    known.set(name, text);
    frames.set(reading, known);
    if (!exceeds(text, commonLimit)) return text;
    log.warn(`ws: an update of ${name} is ${text.length} characters long, more than clients accept; it was not sent`);
    return null;
  };

  const push = (key: string, topic: Topic, reading: Reading) => {
    const text = frame(topic.name, reading);
    if (text === null) return;
    if (topic.listeners.size > topic.aside.size)
      rounds.publish(key, text, compressing(topic) <= maxCompressing && isWorthCompressing(text.length));
    for (const session of topic.aside) outbox.update(session, topic.name, text);
  };

  const open = (key: string, { name, view }: HeardModule, seen: Reading | null): Topic => {
    const topic: Topic = { name, listeners: new Set(), aside: new Set(), stop: () => {} };
    topics.set(key, topic);
    topic.stop = view.listen(name, (reading) => push(key, topic, reading), seen ?? undefined);
    return topic;
  };

  const topicsOf = (session: SocketSession): [string, Topic][] =>
    [...topics].filter(([, { listeners }]) => listeners.has(session));

  return {
    frame,
    join(session, heard, seen) {
      const key = heard.view.variant(heard.name);
      const topic = topics.get(key) ?? open(key, heard, seen);
      topic.listeners.add(session);
      if (session.backlog === null) rounds.subscribe(session, key);
      else topic.aside.add(session);
    },
    leave(session, { name, view }) {
      const key = view.variant(name);
      const topic = topics.get(key);
      if (topic === undefined || !topic.listeners.delete(session)) return;
      topic.aside.delete(session);
      rounds.unsubscribe(session, key);
      session.backlog?.updates.delete(name);
      if (topic.listeners.size > 0) return;
      topics.delete(key);
      topic.stop();
    },
    setAside(session) {
      for (const [key, topic] of topicsOf(session)) {
        topic.aside.add(session);
        const owed = rounds.unsubscribe(session, key);
        if (owed !== null) outbox.update(session, topic.name, owed);
      }
    },
    takeBack(session) {
      for (const [key, topic] of topicsOf(session)) {
        topic.aside.delete(session);
        rounds.subscribe(session, key);
      }
    },
    flush: rounds.flush,
  };
}

function compressing({ listeners }: Topic): number {
  let count = 0;
  for (const { peer } of listeners) if (peer.compresses) count++;
  return count;
}
