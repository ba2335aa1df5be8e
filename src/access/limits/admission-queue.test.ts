import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createAdmissionQueue, type Place } from './admission-queue.ts';

const limits = { places: 12, waiting: { most: 20, ms: 10_000 }, minimumHoldMs: 1000 };

type Entry = ReturnType<ReturnType<typeof createAdmissionQueue>['enter']>;

function createTest() {
  const clock = fakeClock();
  const queue = createAdmissionQueue(limits, clock);
  const enter = (address: string, gone = new AbortController()) => queue.enter(address, () => gone.signal);
  const evicted: string[] = [];
  /** A client that shows no token: it leaves only when it is evicted. */
  const stay = (place: Place | null, name: string) =>
    place?.onEvict(() => {
      evicted.push(name);
      place.leave();
    });
  /** Connects `count` such clients, and connects each again when it was evicted or refused. */
  const attack = (address: string, count: number) => {
    const connect = async () => {
      const place = await enter(address);
      if (place === null) return;
      place.onEvict(() => {
        place.leave();
        void connect();
      });
    };
    for (let one = 0; one < count; one++) void connect();
  };
  return { clock, enter, evicted, stay, attack };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};
const isAdmitted = (entry: Entry): entry is Place => entry !== null && !(entry instanceof Promise);
const many = (count: number, enter: () => Entry) => Array.from({ length: count }, enter);

describe('fairness of the admission queue between networks', () => {
  test('one network holds half of the places; the next network is admitted at once', () => {
    const { enter } = createTest();
    expect(many(30, () => enter('192.0.2.1')).filter(isAdmitted).length).toBe(6);
    expect(isAdmitted(enter('192.0.2.2'))).toBe(true);
  });

  test('a client of a fresh network is admitted while two, four and eight networks attack', async () => {
    for (const networks of [2, 4, 8]) {
      const { enter, attack, clock } = createTest();
      for (let network = 0; network < networks; network++) attack(`198.51.100.${network}`, 50);
      for (let round = 0; round < 50; round++) {
        clock.advance(100);
        await settle();
      }
      const client = enter('192.0.2.1');
      expect(client).not.toBeNull();
      let place: Place | null = null;
      void Promise.resolve(client).then((given) => {
        place = given;
      });
      clock.advance(1100);
      await settle();
      expect(place).not.toBeNull();
    }
  });

  test('one network gets half of the queue; beyond its share, the newest entry of the network with most is refused', async () => {
    const { enter } = createTest();
    const first = many(16, () => enter('192.0.2.1'));
    expect(first.filter((entry) => entry === null).length).toBe(0);
    expect(enter('192.0.2.1')).toBeNull();
    const others = many(9, () => enter('192.0.2.2'));
    expect(others.filter(isAdmitted).length).toBe(3);
    expect(others.some((entry) => entry === null)).toBe(false);
    const newest = await Promise.race([first.at(-1), new Promise((resolve) => setTimeout(resolve, 0, 'waiting'))]);
    expect(newest).toBeNull();
  });

  test('a freed place goes to the waiting network that holds fewest, and there to the longest wait', async () => {
    const { enter, clock } = createTest();
    const [place] = many(6, () => enter('192.0.2.1'));
    const others = many(3, () => enter('192.0.2.2'));
    expect(others.every(isAdmitted)).toBe(true);
    const admitted: string[] = [];
    const wait = (address: string, name: string) =>
      void Promise.resolve(enter(address)).then((given) => given && admitted.push(name));
    wait('192.0.2.1', 'first network');
    wait('192.0.2.2', 'second network, first');
    wait('192.0.2.2', 'second network, second');
    if (place !== undefined && isAdmitted(place)) place.leave();
    await settle();
    expect(admitted).toEqual(['second network, first']);
    clock.advance(1);
  });
});

describe('eviction from the admission queue', () => {
  test('a holder is not evicted while no request waits, nor before its minimum time', async () => {
    const { enter, clock, evicted, stay } = createTest();
    for (let count = 0; count < 6; count++) stay(await enter('192.0.2.1'), `first ${count}`);
    clock.advance(5000);
    expect(evicted).toEqual([]);
    for (let count = 0; count < 3; count++) stay(await enter('192.0.2.2'), `second ${count}`);
    const late = enter('192.0.2.2');
    expect(late).toBeInstanceOf(Promise);
    clock.advance(200);
    await settle();
    expect(evicted).toEqual(['first 0']);
    expect(await late).not.toBeNull();
  });

  test('a network rotates its own places: silent holders make room for the next client of the network', async () => {
    const { enter, clock, evicted, stay } = createTest();
    for (let count = 0; count < 6; count++) stay(await enter('192.0.2.1'), `holder ${count}`);
    const next = enter('192.0.2.1');
    clock.advance(900);
    expect(evicted).toEqual([]);
    clock.advance(200);
    expect(evicted).toEqual(['holder 0']);
    expect(await next).not.toBeNull();
  });
});

test('a client that leaves, or waits too long, gives up its entry, and no timer remains', async () => {
  const { enter, clock } = createTest();
  for (let count = 0; count < 6; count++) enter('192.0.2.1');
  const gone = new AbortController();
  const [left, late] = [enter('192.0.2.1', gone), enter('192.0.2.1')];
  gone.abort();
  expect(await left).toBeNull();
  clock.advance(10_001);
  expect(await late).toBeNull();
  expect(clock.advanceToNext()).toBe(false);
});
