import { expect, test } from 'bun:test';
import { anyPlace, type FakeWire, fakeWire, herePeer, publishTo } from '../../../test/doubles/fake-wire.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { createSocketSession, type SocketSession } from './session.ts';
import { createRounds } from './topic-publisher.ts';
import { createPace } from './work-queue.ts';

/** A runtime that takes a millisecond for each client it writes to. */
function createTest() {
  const wires: FakeWire[] = [];
  const soon: (() => void)[] = [];
  const checked: SocketSession[] = [];
  let now = 0;
  const rounds = createRounds({
    publish(topic, text, compress) {
      now += wires.filter(({ topics }) => topics.has(topic)).length;
      publishTo(wires)(topic, text, compress);
    },
    monotonic: () => now,
    soon: (callback) => void soon.push(callback),
    check: (session) => void checked.push(session),
  });
  return {
    rounds,
    checked,
    connect() {
      const wire = fakeWire();
      wires.push(wire);
      return createSocketSession(wire, herePeer, anyPlace, 0);
    },
    received: () => wires.map(({ received }) => received),
    /** Milliseconds of this turn. */
    turn() {
      const start = now;
      for (const callback of soon.splice(0)) callback();
      return now - start;
    },
    spent: () => now,
    isDone: () => soon.length === 0,
  };
}

const group = 16;

test('however many listen, others have their turn in between, and everybody gets everything', () => {
  const { rounds, connect, received, turn, spent, isDone, checked } = createTest();
  const sessions = Array.from({ length: 500 }, () => connect());
  for (const session of sessions) rounds.subscribe(session, 'processes');
  rounds.publish('processes', 'first', false);
  const turns = [spent()];
  while (!isDone()) turns.push(turn());
  expect(Math.max(...turns)).toBeLessThanOrEqual(budgets.all.turnMs + group);
  expect(received().every((texts) => texts.length === 1)).toBe(true);
  expect(new Set(checked)).toEqual(new Set(sessions));
});

test('several modules at the same moment share the turn', () => {
  const { rounds, connect, spent } = createTest();
  const sessions = Array.from({ length: 100 }, () => connect());
  const names = ['cpu', 'memory', 'disks', 'networks'];
  for (const session of sessions) for (const name of names) rounds.subscribe(session, name);
  for (const name of names) rounds.publish(name, name, false);
  expect(spent()).toBeLessThanOrEqual(budgets.all.turnMs + group);
});

test('a newer text takes the place of one that waits', () => {
  const { rounds, connect, received, turn, isDone } = createTest();
  for (let count = 0; count < 64; count++) rounds.subscribe(connect(), 'cpu');
  rounds.publish('cpu', 'old', false);
  rounds.publish('cpu', 'new', false);
  while (!isDone()) turn();
  expect(received().every((texts) => texts.at(-1) === 'new')).toBe(true);
  expect(received().filter((texts) => texts.includes('old')).length).toBe(group);
});

test('whoever leaves is told what it was owed, and whoever comes gets nothing older than it has', () => {
  const { rounds, connect, received, turn, isDone } = createTest();
  const sessions = Array.from({ length: 40 }, () => connect());
  for (const session of sessions) rounds.subscribe(session, 'cpu');
  rounds.publish('cpu', 'text', false);
  const [first, last] = [sessions[0], sessions[39]];
  expect(first && rounds.unsubscribe(first, 'cpu')).toBeNull();
  expect(last && rounds.unsubscribe(last, 'cpu')).toBe('text');
  rounds.subscribe(connect(), 'cpu');
  rounds.subscribe(connect(), 'cpu');
  while (!isDone()) turn();
  expect(received().slice(-3)).toEqual([[], [], []]);
  expect(received().flat().length).toBe(39);
});

test('one that is there already is not there twice', () => {
  const { rounds, connect, received } = createTest();
  const session = connect();
  for (let count = 0; count < group; count++) rounds.subscribe(connect(), 'cpu');
  for (let count = 0; count < 3; count++) rounds.subscribe(session, 'cpu');
  rounds.publish('cpu', 'text', false);
  rounds.flush();
  expect(received()[0]).toEqual(['text']);
});

test('messages of many come in turns: a long line of one holds up nobody', () => {
  const soon: (() => void)[] = [];
  const done: string[] = [];
  let now = 0;
  const pace = createPace<string>({
    turnMs: 8,
    most: { each: 100, size: 1000 },
    monotonic: () => now,
    soon: (callback) => void soon.push(callback),
  });
  const work = (name: string) => () => {
    now += 1;
    done.push(name);
  };
  for (let count = 0; count < 50; count++) expect(pace.run('greedy', 1, work('greedy'))).toBe(true);
  expect(done.length).toBe(8);
  pace.run('other', 1, work('other'));
  soon.shift()?.();
  expect(done.slice(8, 11)).toContain('other');
  expect(done.length).toBe(16);
  while (soon.length > 0) soon.shift()?.();
  expect(done.filter((name) => name === 'greedy').length).toBe(50);
  for (let count = 0; count < 8; count++) pace.run('again', 1, work('again'));
  expect(Array.from({ length: 101 }, () => pace.run('greedy', 1, work('greedy'))).at(-1)).toBe(false);
  expect(pace.run('large', 901, work('large'))).toBe(false);
  pace.forget('greedy');
  expect(pace.run('large', 901, work('large'))).toBe(true);
});
