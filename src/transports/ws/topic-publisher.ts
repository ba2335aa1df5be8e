import { budgets } from '../../access/limits/budgets.ts';
import type { Publish } from '../../core/route-table.ts';
import type { SocketSession } from './session.ts';

/**
 * Publishing to many. The runtime writes to all subscribers of a topic in one go, and for a long update to somebody who does not read
 * the system takes up to a millisecond: 500 of them held everybody up for half a second. So listeners stand in groups, each
 * with a topic of its own, and others have their turn between the groups.
 */
export interface Rounds {
  subscribe(session: SocketSession, name: string): void;
  /** What was on its way to it and did not come, if anything. */
  unsubscribe(session: SocketSession, name: string): string | null;
  /** To every group of this name: as many as fit into this turn at once, the rest soon. A newer text takes the place of one that waits. */
  publish(name: string, text: string, compress: boolean): void;
  /** Everything that waits, now. */
  flush(): void;
}

export interface RoundParts {
  publish: Publish;
  monotonic(): number;
  /** Runs this when the runtime has written what was published in this turn. */
  soon(callback: () => void): void;
  /** Something was published to this one. */
  check(session: SocketSession): void;
}

const groupSize = 16;

interface Group {
  topic: string;
  members: Set<SocketSession>;
  due: { text: string; compress: boolean } | null;
}

export function createRounds({ publish, monotonic, soon, check }: RoundParts): Rounds {
  const groups = new Map<string, Group[]>();
  /** Those with something due, in the order in which it fell due. */
  const line = new Set<Group>();
  const toCheck = new Set<Group>();
  let spentMs = 0;

  const send = (group: Group) => {
    const { due, topic, members } = group;
    line.delete(group);
    group.due = null;
    if (due === null || members.size === 0) return;
    const start = monotonic();
    publish(topic, due.text, due.compress);
    spentMs += monotonic() - start;
    if (toCheck.size === 0) soon(nextTurn);
    toCheck.add(group);
  };

  const goOn = () => {
    for (const group of line) {
      if (spentMs >= budgets.all.turnMs) return;
      send(group);
    }
  };

  /** Whoever did not take what was published is found out before more is published. */
  const nextTurn = () => {
    spentMs = 0;
    const published = [...toCheck];
    toCheck.clear();
    for (const { members } of published) for (const session of [...members]) check(session);
    goOn();
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
    subscribe(session, name) {
      const those = groups.get(name) ?? [];
      if (those.some(({ members }) => members.has(session))) return;
      const group = those.find(({ members }) => members.size < groupSize) ?? open(name, those);
      // The new one has what is newest already, and what waits here may be older.
      if (group.due !== null) send(group);
      group.members.add(session);
      session.wire.subscribe(group.topic);
    },
    unsubscribe(session, name) {
      const those = groups.get(name) ?? [];
      const group = those.find(({ members }) => members.has(session));
      if (group === undefined) return null;
      group.members.delete(session);
      if (!session.closed) session.wire.unsubscribe(group.topic);
      const owed = group.due?.text ?? null;
      if (group.members.size > 0) return owed;
      line.delete(group);
      if (those.length === 1) groups.delete(name);
      else
        groups.set(
          name,
          those.filter((other) => other !== group),
        );
      return owed;
    },
    publish(name, text, compress) {
      for (const group of groups.get(name) ?? []) {
        group.due = { text, compress };
        line.add(group);
      }
      goOn();
    },
    flush() {
      for (const group of line) send(group);
    },
  };
}

/** The first has the plain name. */
const topicOf = (name: string, number: number) => (number === 0 ? name : `${name} ${number}`);
