import type { Reading } from '../../core/reading.ts';
import type { Publish } from '../../core/route-table.ts';
import type { Log } from '../../lib/log.ts';
import { updateText } from './envelope.ts';
import { isWorthCompressing, type Outbox } from './outbox.ts';
import type { ListenedModule, SocketSession } from './session.ts';
import { createTopicPublisher } from './topic-publisher.ts';
import { commonLimit, exceeds } from './wire.ts';

export interface FanOutParts {
  log: Log;
  publish: Publish;
  monotonic(): number;
  outbox: Pick<Outbox, 'check' | 'update' | 'withdraw'>;
  /** Runs this after the runtime has written the publications of this turn. */
  soon(callback: () => void): void;
}

interface Topic {
  /** See `topicOf`. */
  key: string;
  name: string;
  listeners: Set<SocketSession>;
  /** Listeners that are served individually. */
  aside: Set<SocketSession>;
  stop(): void;
}

/** Compression is done per client: beyond this number it costs more than the network. */
const maxCompressing = 16;

export type FanOut = ReturnType<typeof createFanOut>;

/** Sends updates from the store to all listeners: serialised once, framed once. */
export function createFanOut({ log, publish, outbox, monotonic, soon }: FanOutParts) {
  /** By `topicOf`. */
  const topics = new Map<string, Topic>();
  /** What each session has joined: a token can open thousands of topics. */
  const joined = new WeakMap<SocketSession, Set<Topic>>();
  const frames = new WeakMap<Reading, Map<string, string>>();
  // A client that did not read is taken out of the topic.
  const publisher = createTopicPublisher({ publish, monotonic, soon, check: (session) => void outbox.check(session) });

  /** The update with this reading; null: too large to send. */
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
      publisher.publish(key, text, compressing(topic) <= maxCompressing && isWorthCompressing(text.length));
    for (const session of topic.aside) outbox.update(session, topic.name, text);
  };

  const open = (key: string, { name, view, everyMs }: ListenedModule, seen: Reading | null): Topic => {
    const topic: Topic = { key, name, listeners: new Set(), aside: new Set(), stop: () => {} };
    topics.set(key, topic);
    topic.stop = view.listen(name, (reading) => push(key, topic, reading), { seen: seen ?? undefined, everyMs });
    return topic;
  };

  const topicsOf = (session: SocketSession): Iterable<Topic> => joined.get(session) ?? [];

  return {
    frame,
    /** Subscribes the session to a module in this view. `seen` is the reading it was just sent. */
    join(session: SocketSession, module: ListenedModule, seen: Reading | null) {
      const key = topicOf(module);
      const topic = topics.get(key) ?? open(key, module, seen);
      topic.listeners.add(session);
      joined.set(session, (joined.get(session) ?? new Set()).add(topic));
      if (session.backlog === null) publisher.subscribe(session, key);
      else topic.aside.add(session);
    },
    leave(session: SocketSession, module: ListenedModule) {
      const key = topicOf(module);
      const topic = topics.get(key);
      if (topic === undefined || !topic.listeners.delete(session)) return;
      joined.get(session)?.delete(topic);
      topic.aside.delete(session);
      publisher.unsubscribe(session, key);
      outbox.withdraw(session, module.name);
      if (topic.listeners.size > 0) return;
      topics.delete(key);
      topic.stop();
    },
    /** Serves a client that fell behind individually until it has caught up. */
    setAside(session: SocketSession) {
      for (const topic of topicsOf(session)) {
        topic.aside.add(session);
        const owed = publisher.unsubscribe(session, topic.key);
        if (owed !== null) outbox.update(session, topic.name, owed);
      }
    },
    takeBack(session: SocketSession) {
      for (const topic of topicsOf(session)) {
        topic.aside.delete(session);
        publisher.subscribe(session, topic.key);
      }
    },
    /** Hands all pending updates to the runtime. */
    flush: publisher.flush,
  };
}

/** Listeners with the same topic get the same updates at the same times. */
export const topicOf = ({ name, view, everyMs }: ListenedModule) =>
  everyMs === undefined ? view.variant(name) : `${view.variant(name)} ${everyMs}`;

function compressing({ listeners }: Topic): number {
  let count = 0;
  for (const { peer } of listeners) if (peer.compresses) count++;
  return count;
}
