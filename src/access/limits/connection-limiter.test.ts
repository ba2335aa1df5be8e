import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import type { Arrival, Doorway } from '../../host/socket-inspector.ts';
import { budgets } from './budgets.ts';
import { createCrowd, type Guest, mostConnections } from './connection-limiter.ts';

const mebibyte = 1024 * 1024;

/** A house whose doors the test holds in its hands. */
async function createTest({ limit = 20_000, ports = [9170] } = {}) {
  const clock = fakeClock();
  const inside = new Set<Arrival>();
  const guests = new Map<string, Guest>();
  let memory = 40 * mebibyte;
  let knock: (() => void) | null = null;
  let looks = 0;
  let counts = 0;
  const doorway: Doorway = {
    limit,
    descriptors() {
      looks++;
      return inside.size + 20;
    },
    memory: () => memory,
    lengthenQueue: () => {},
    onKnock(_port, knocked) {
      knock = knocked;
      return () => {
        knock = null;
      };
    },
    connections(port) {
      counts++;
      return [...inside].filter(({ ours }) => ours === port);
    },
    addressesCalledBy: () => [],
    preferNewest() {},
    shut: (arrival) => void inside.delete(arrival),
  };
  const crowd = createCrowd({
    open: async () => doorway,
    ports: () => ports,
    clock,
    log: fakeContext().log,
    guestAt: ({ address, port, ours }) => guests.get(`${address} ${port} ${ours}`) ?? null,
  });
  crowd.watch();
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  clock.advance(10_000);
  let last = 0;
  return {
    clock,
    crowd,
    inside,
    looks: () => looks,
    counts: () => counts,
    isWaiting: () => knock !== null,
    setMemory(bytes: number) {
      memory = bytes;
    },
    come(count: number, given: Partial<Arrival> = {}, guest: Guest | null = null) {
      const those = Array.from({ length: count }, (): Arrival => {
        last++;
        return {
          descriptor: last,
          address: '192.0.2.1',
          port: last,
          ours: 9170,
          received: 0,
          answered: false,
          idleMs: 0,
          unreadMs: 0,
          ...given,
        };
      });
      for (const arrival of those) {
        inside.add(arrival);
        if (guest !== null) guests.set(`${arrival.address} ${arrival.port} ${arrival.ours}`, guest);
      }
      const heard = knock;
      knock = null;
      heard?.();
      return those;
    },
  };
}

const stay: Guest = { known: true, taken: 0, drop: () => {} };

test('nothing runs while nobody comes, and with a few who stay', async () => {
  const { clock, come, isWaiting, looks } = await createTest();
  expect(isWaiting()).toBe(true);
  come(5);
  expect(isWaiting()).toBe(false);
  clock.advance(6000);
  expect(isWaiting()).toBe(true);
  const before = looks();
  expect(clock.advanceToNext()).toBe(false);
  expect(looks()).toBe(before);
});

test('one address gets half of what there is, and keeps nobody else out', async () => {
  const { clock, come, inside } = await createTest();
  const others = come(10, { address: '192.0.2.99' });
  const most = mostConnections(20_000);
  expect(most).toBe(budgets.all.connections.most);
  come(10_000);
  clock.advance(1000);
  expect(inside.size).toBeLessThanOrEqual(most / 2 + 10);
  expect(others.every((other) => inside.has(other))).toBe(true);
});

test('from many addresses it is a part of the descriptors at most', async () => {
  const { clock, come, inside } = await createTest({ limit: 1024 });
  for (let network = 0; network < 100; network++) come(10, { address: `198.51.100.${network}` });
  clock.advance(1000);
  expect(inside.size).toBeLessThanOrEqual(1024 * budgets.all.connections.shareOfDescriptors);
});

test('those never answered go first, then the idlest; those with a token stay', async () => {
  const { clock, come, inside } = await createTest({ limit: 1000 });
  const known = come(50, { answered: true, idleMs: 30_000 }, stay);
  const idle = come(50, { answered: true, idleMs: 20_000 });
  const lively = come(50, { answered: true, idleMs: 10 });
  come(1000);
  clock.advance(1000);
  for (const those of [known, lively, idle]) expect(those.filter((one) => inside.has(one)).length).toBe(50);
  come(160, { answered: true, idleMs: 100 });
  clock.advance(1000);
  expect(idle.some((one) => inside.has(one))).toBe(false);
  expect(known.every((one) => inside.has(one))).toBe(true);
});

test('a token on one port is no shelter for a connection from the same end to the other', async () => {
  const { clock, come, inside } = await createTest({ limit: 1000, ports: [9170, 9171] });
  const known = Array.from({ length: 50 }, (_, port) => come(1, { port, answered: true }, stay)).flat();
  const strangers = Array.from({ length: 50 }, (_, port) => come(1, { port, ours: 9171, idleMs: 9000 })).flat();
  come(1000, { address: '192.0.2.9' });
  come(400, { answered: true });
  clock.advance(1000);
  expect(known.every((one) => inside.has(one))).toBe(true);
  expect(strangers.some((one) => inside.has(one))).toBe(false);
});

test('the longest unfinished messages go when they are too many in all', async () => {
  const { clock, come, inside, setMemory } = await createTest();
  const dropped: number[] = [];
  const guest = (bytes: number): Guest => ({ known: true, taken: 1000, drop: () => void dropped.push(bytes) });
  for (let bytes = 1; bytes <= 100; bytes++) come(1, { received: 1000 + bytes * 10_240 }, guest(bytes * 10_240));
  clock.advance(2000);
  expect(dropped).toEqual([]);
  setMemory(200 * mebibyte);
  clock.advance(200);
  const sum = 10_240 * ((100 * 101) / 2);
  expect(sum - dropped.reduce((all, bytes) => all + bytes, 0)).toBeLessThanOrEqual(budgets.all.unfinishedBytes);
  expect(dropped[0]).toBe(100 * 10_240);
  expect(dropped.length).toBeLessThan(30);
  expect(inside.size).toBe(100);
});

test('answers that nobody reads end with their connections once memory is short', async () => {
  const { clock, come, inside, setMemory } = await createTest();
  const stuck = come(100, { answered: true, unreadMs: 3000 });
  const reading = come(100, { answered: true, unreadMs: 20 });
  const known = come(10, { answered: true, unreadMs: 3000 }, stay);
  clock.advance(2000);
  expect(inside.size).toBe(210);
  setMemory(200 * mebibyte);
  clock.advance(200);
  expect(stuck.some((one) => inside.has(one))).toBe(false);
  expect([...reading, ...known].every((one) => inside.has(one))).toBe(true);
});

test('many with tokens are no reason to count them all the time', async () => {
  const { clock, come, counts } = await createTest();
  come(3000, {}, stay);
  clock.advance(5000);
  const before = counts();
  clock.advance(10_000);
  expect(counts() - before).toBeLessThanOrEqual(3);
});
