import { budgets } from '../../access/limits/budgets.ts';
import type { Publish } from '../../core/route-table.ts';
import type { SocketSession } from './session.ts';

export interface TopicPublisherParts {
  publish: Publish;
  monotonic(): number;
  /** Runs this after the runtime has written the publications of this turn. */
  soon(callback: () => void): void;
  /** Called for each member after a publication. */
  check(session: SocketSession): void;
}

const groupSize = 16;

interface Group {
  topic: string;
  members: Set<SocketSession>;
  due: { text: string; compress: boolean } | null;
}

/**
 * Publishes to many listeners. The runtime writes to all subscribers of a topic at once, and a long update to a client that does not read
 * takes up to a millisecond: 500 of them blocked the event loop for half a second. So listeners are divided into groups, each
 * with its own topic, and other work runs between the groups.
 */
export function createTopicPublisher({ publish, monotonic, soon, check }: TopicPublisherParts) {
  const groups = new Map<string, Group[]>();
  /** Groups with a pending text, oldest first. */
  const pending = new Set<Group>();
  const toCheck = new Set<Group>();
  let spentMs = 0;

  const send = (group: Group) => {
    const { due, topic, members } = group;
    pending.delete(group);
    group.due = null;
    if (due === null || members.size === 0) return;
    const start = monotonic();
    publish(topic, due.text, due.compress);
    spentMs += monotonic() - start;
    if (toCheck.size === 0) soon(nextTurn);
    toCheck.add(group);
  };

  const publishPending = () => {
    for (const group of pending) {
      if (spentMs >= budgets.all.turnMs) return;
      send(group);
    }
  };

  /** Finds clients that did not read before publishing more. */
  const nextTurn = () => {
    spentMs = 0;
    const begun = monotonic();
    for (const group of toCheck) {
      toCheck.delete(group);
      for (const session of [...group.members]) check(session);
      if (toCheck.size > 0 && monotonic() - begun >= budgets.all.turnMs) return soon(nextTurn);
    }
    publishPending();
  };

  const open = (name: string, those: Group[]): Group => {
    const taken = new Set(those.map(({ topic }) => topic));
    let number = 0;
    while (taken.has(topicOf(name, number))) number++;
    const group: Group = { topic: topicOf(name, number), members: new Set(), due: null };
    groups.set(name, [...those, group]);
    return group;
  };

  return {
    subscribe(session: SocketSession, name: string) {
      const those = groups.get(name) ?? [];
      if (those.some(({ members }) => members.has(session))) return;
      const group = those.find(({ members }) => members.size < groupSize) ?? open(name, those);
      // The new member already has the newest text, and the pending one may be older.
      if (group.due !== null) send(group);
      group.members.add(session);
      session.wire.subscribe(group.topic);
    },
    /** Returns the text that was pending for it, if any. */
    unsubscribe(session: SocketSession, name: string): string | null {
      const those = groups.get(name) ?? [];
      const group = those.find(({ members }) => members.has(session));
      if (group === undefined) return null;
      group.members.delete(session);
      if (!session.closed) session.wire.unsubscribe(group.topic);
      const owed = group.due?.text ?? null;
      if (group.members.size > 0) return owed;
      pending.delete(group);
      if (those.length === 1) groups.delete(name);
      else
        groups.set(
          name,
          those.filter((other) => other !== group),
        );
      return owed;
    },
    /** Publishes to every group of this name: as many as fit into this turn at once, the rest later. A newer text replaces a pending one. */
    publish(name: string, text: string, compress: boolean) {
      for (const group of groups.get(name) ?? []) {
        group.due = { text, compress };
        pending.add(group);
      }
      publishPending();
    },
    flush() {
      for (const group of pending) send(group);
    },
  };
}

/** The first group has the plain name. */
const topicOf = (name: string, number: number) => (number === 0 ? name : `${name} ${number}`);
