import { expect, test } from 'bun:test';
import { anyPlace, type FakeWire, fakeWire, herePeer, publishTo } from '../../../test/doubles/fake-wire.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { createSocketSession, type SocketSession } from './session.ts';
import { createTopicPublisher } from './topic-publisher.ts';
import { createWorkQueue } from './work-queue.ts';

/** A runtime that takes a millisecond for each client. */
function createTest() {
  const wires: FakeWire[] = [];
  const soon: (() => void)[] = [];
  const checked: SocketSession[] = [];
  let now = 0;
  const publisher = createTopicPublisher({
    publish(topic, text, compress) {
      now += wires.filter(({ topics }) => topics.has(topic)).length;
      publishTo(wires)(topic, text, compress);
    },
    monotonic: () => now,
    soon: (callback) => void soon.push(callback),
    check: (session) => void checked.push(session),
  });
  return {
    publisher,
    checked,
    connect() {
      const wire = fakeWire();
      wires.push(wire);
      return createSocketSession(wire, herePeer, anyPlace, 0);
    },
    received: () => wires.map(({ received }) => received),
    /** Milliseconds spent in this turn. */
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

test('publishing to many listeners yields between groups, and every listener gets everything', () => {
  const { publisher, connect, received, turn, spent, isDone, checked } = createTest();
  const sessions = Array.from({ length: 500 }, () => connect());
  for (const session of sessions) publisher.subscribe(session, 'processes');
  publisher.publish('processes', 'first', false);
  const turns = [spent()];
  while (!isDone()) turns.push(turn());
  expect(Math.max(...turns)).toBeLessThanOrEqual(budgets.all.turnMs + group);
  expect(received().every((texts) => texts.length === 1)).toBe(true);
  expect(new Set(checked)).toEqual(new Set(sessions));
});

test('several modules at the same moment share the turn', () => {
  const { publisher, connect, spent } = createTest();
  const sessions = Array.from({ length: 100 }, () => connect());
  const names = ['cpu', 'memory', 'disks', 'networks'];
  for (const session of sessions) for (const name of names) publisher.subscribe(session, name);
  for (const name of names) publisher.publish(name, name, false);
  expect(spent()).toBeLessThanOrEqual(budgets.all.turnMs + group);
});

test('a newer text replaces a pending one', () => {
  const { publisher, connect, received, turn, isDone } = createTest();
  for (let count = 0; count < 64; count++) publisher.subscribe(connect(), 'cpu');
  publisher.publish('cpu', 'old', false);
  publisher.publish('cpu', 'new', false);
  while (!isDone()) turn();
  expect(received().every((texts) => texts.at(-1) === 'new')).toBe(true);
  expect(received().filter((texts) => texts.includes('old')).length).toBe(group);
});

test('unsubscribe returns the pending text, and a new subscriber gets nothing older than it has', () => {
  const { publisher, connect, received, turn, isDone } = createTest();
  const sessions = Array.from({ length: 40 }, () => connect());
  for (const session of sessions) publisher.subscribe(session, 'cpu');
  publisher.publish('cpu', 'text', false);
  const [first, last] = [sessions[0], sessions[39]];
  expect(first && publisher.unsubscribe(first, 'cpu')).toBeNull();
  expect(last && publisher.unsubscribe(last, 'cpu')).toBe('text');
  publisher.subscribe(connect(), 'cpu');
  publisher.subscribe(connect(), 'cpu');
  while (!isDone()) turn();
  expect(received().slice(-3)).toEqual([[], [], []]);
  expect(received().flat().length).toBe(39);
});

test('a second subscription of one session has no effect', () => {
  const { publisher, connect, received } = createTest();
  const session = connect();
  for (let count = 0; count < group; count++) publisher.subscribe(connect(), 'cpu');
  for (let count = 0; count < 3; count++) publisher.subscribe(session, 'cpu');
  publisher.publish('cpu', 'text', false);
  publisher.flush();
  expect(received()[0]).toEqual(['text']);
});

test('messages of many clients are interleaved: a long queue of one client delays no other', () => {
  const soon: (() => void)[] = [];
  const done: string[] = [];
  let now = 0;
  const queue = createWorkQueue<string>({
    turnMs: 8,
    most: { each: 100, size: 1000 },
    monotonic: () => now,
    soon: (callback) => void soon.push(callback),
  });
  const work = (name: string) => () => {
    now += 1;
    done.push(name);
  };
  for (let count = 0; count < 50; count++) expect(queue.run('greedy', 1, work('greedy'))).toBe(true);
  expect(done.length).toBe(8);
  queue.run('other', 1, work('other'));
  soon.shift()?.();
  expect(done.slice(8, 11)).toContain('other');
  expect(done.length).toBe(16);
  while (soon.length > 0) soon.shift()?.();
  expect(done.filter((name) => name === 'greedy').length).toBe(50);
  for (let count = 0; count < 8; count++) queue.run('again', 1, work('again'));
  expect(Array.from({ length: 101 }, () => queue.run('greedy', 1, work('greedy'))).at(-1)).toBe(false);
  expect(queue.run('large', 901, work('large'))).toBe(false);
  queue.forget('greedy');
  expect(queue.run('large', 901, work('large'))).toBe(true);
});
