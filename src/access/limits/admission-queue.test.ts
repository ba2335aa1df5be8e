import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createDoor, type Place } from './admission-queue.ts';

const limits = {
  sockets: { inAll: 6, perAddress: 4 },
  waiting: { inAll: 10, perAddress: 6, ms: 10_000 },
  momentMs: 1000,
};

function createTest() {
  const clock = fakeClock();
  const door = createDoor(limits, clock);
  const enter = (address: string, gone = new AbortController()) => door.enter(address, () => gone.signal);
  /** A connection that says nothing: shown out, it leaves. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const ended: string[] = [];
  const sit = (place: Awaited<ReturnType<typeof enter>>, name: string) =>
    place?.onEvict(() => {
      ended.push(name);
      place.leave();
    });
  const given: (Place | null)[] = [];
  return { clock, enter, settle, sit, ended, given };
}

const isThere = (place: unknown) => place !== null && !(place instanceof Promise);

test('an address has its share at once, the others theirs', () => {
  const { enter } = createTest();
  const many = Array.from({ length: 12 }, () => enter('192.0.2.1'));
  expect(many.filter(isThere).length).toBe(4);
  expect(many.filter((place) => place instanceof Promise).length).toBe(6);
  expect(many.filter((place) => place === null).length).toBe(2);
  expect(isThere(enter('192.0.2.2'))).toBe(true);
});

test('all addresses of a network of 64 bits are one', () => {
  const { enter } = createTest();
  const many = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:1::3', '2001:db8::4:5', '2001:db8::6'].map((one) =>
    enter(one),
  );
  expect(many.filter(isThere).length).toBe(4);
});

test('a place that becomes free goes to whoever waits longest', async () => {
  const { enter, given, settle } = createTest();
  const first = Array.from({ length: 4 }, () => enter('192.0.2.1'));
  const waiting = [enter('192.0.2.1'), enter('192.0.2.1')];
  for (const place of waiting) void Promise.resolve(place).then((one) => given.push(one));
  const [one] = first;
  if (one !== null && !(one instanceof Promise)) one?.leave();
  await settle();
  expect(given.length).toBe(1);
  expect(given[0]).not.toBeNull();
});

test('nobody is shown out in its first moment, and nobody at all while nobody waits', async () => {
  const { enter, clock, sit, ended, settle } = createTest();
  for (let count = 0; count < 4; count++) sit(await enter('192.0.2.1'), `first ${count}`);
  clock.advance(5000);
  expect(ended).toEqual([]);
  for (let count = 0; count < 2; count++) sit(await enter('192.0.2.2'), `second ${count}`);
  const late = enter('192.0.2.3');
  expect(late).toBeInstanceOf(Promise);
  clock.advance(200);
  await settle();
  // Of the address that has most, the oldest.
  expect(ended).toEqual(['first 0']);
  expect(await late).not.toBeNull();
});

test('whoever goes or waits too long is not waited for', async () => {
  const { enter, clock } = createTest();
  for (let count = 0; count < 4; count++) enter('192.0.2.1');
  const gone = new AbortController();
  const [left, late] = [enter('192.0.2.1', gone), enter('192.0.2.1')];
  gone.abort();
  expect(await left).toBeNull();
  clock.advance(10_001);
  expect(await late).toBeNull();
  expect(clock.advanceToNext()).toBe(false);
});
