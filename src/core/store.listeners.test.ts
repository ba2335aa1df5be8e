import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock, fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { createTestStore, payloadOf, type TestPayload, turn } from '../../test/harness/test-store.ts';
import { defaultSettings } from '../features/index.ts';
import type { ModuleDefinition, Source } from './module.ts';
import { createStore, type Store } from './store.ts';

const day = 86_400_000;

describe('listeners of the store', () => {
  test('updates come at the interval while there is a listener, and not afterwards', async () => {
    const { store, clock, reads } = createTestStore({});
    const seen: unknown[] = [];
    const stop = store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    for (let second = 0; second < 3; second += 1) {
      clock.advance(1000);
      await turn();
    }
    expect(seen).toEqual([{ value: 0 }, { value: 1 }, { value: 2 }]);
    stop();
    clock.advance(60_000);
    await turn();
    expect(reads()).toBe(3);
  });

  test('a payload equal to the last one is not sent again', async () => {
    const { store, clock, reads } = createTestStore({ read: () => ({ value: 1 }) });
    let pushes = 0;
    store.listen('thing', () => {
      pushes += 1;
    });
    await turn();
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1000);
      await turn();
    }
    expect(reads()).toBe(5);
    expect(pushes).toBe(1);
  });

  test('a listener that takes equal readings gets each of them, and none is serialised for it', async () => {
    let serialised = 0;
    const toJSON = () => {
      serialised += 1;
      return { value: 1 };
    };
    const { store, clock, reads } = createTestStore({ read: () => ({ value: 1, toJSON }) });
    let pushes = 0;
    const take = () => {
      pushes += 1;
    };
    store.listen('thing', take, { equal: true });
    await turn();
    for (let second = 0; second < 3; second += 1) {
      clock.advance(1000);
      await turn();
    }
    expect([reads(), pushes, serialised]).toEqual([3, 3, 0]);
    store.listen('thing', take);
    clock.advance(1000);
    await turn();
    expect(serialised).toBe(1);
  });

  /** Milliseconds at which each listener got an update within a minute. */
  const updatesWithin = async (
    everyMs: number,
    listeners: Record<string, Parameters<Store['listen']>[2]>,
    source: Partial<Source<TestPayload>> = {},
  ) => {
    const { store, clock, reads } = createTestStore(source, { everyMs, name: 'other' });
    const started = clock.monotonic();
    const times = new Map<string, number[]>();
    for (const [name, options] of Object.entries(listeners)) {
      times.set(name, []);
      store.listen('other', () => times.get(name)?.push(clock.monotonic() - started), options);
    }
    await turn();
    for (let passed = 0; passed < 60_000; passed += 500) {
      clock.advance(500);
      await turn();
    }
    return { times: Object.fromEntries(times), reads: reads() };
  };
  const every = (ms: number) => Array.from({ length: 60_000 / ms }, (_, index) => (index + 1) * ms);

  test('without an interval updates come every 15 s, or at the interval of a slower module; a listener that names one gets its own', async () => {
    const { times, reads } = await updatesWithin(1000, { usual: {}, second: { everyMs: 1000 }, live: { live: true } });
    expect(times).toEqual({ usual: every(15_000), second: every(1000), live: every(1000) });
    expect(reads).toBe(60);
    expect((await updatesWithin(30_000, { usual: {} })).times).toEqual({ usual: every(30_000) });
  });

  test('an announced change reaches listeners of every interval at once', async () => {
    let announce = () => {};
    let value = 0;
    const { store, clock } = createTestStore({
      read: () => ({ value }),
      watch(changed) {
        announce = changed;
        return () => {};
      },
    });
    const seen: [string, unknown][] = [];
    for (const everyMs of [2000, 60_000, undefined])
      store.listen('thing', ({ payload }) => seen.push([String(everyMs), payload]), { everyMs });
    await turn();
    clock.advance(500);
    seen.length = 0;
    value = 1;
    announce();
    await turn();
    expect(seen).toEqual([2000, 60_000, undefined].map((everyMs) => [String(everyMs), { value: 1 }]));
  });

  test('a listener that only needs announced changes causes no reads at the interval, unless nothing is announced or another listener needs them', async () => {
    let announce = () => {};
    const announced = createTestStore({
      watch(changed) {
        announce = changed;
        return () => {};
      },
    });
    const silent = createTestStore({});
    for (const { store } of [announced, silent]) store.listen('thing', () => {}, { announcedEveryMs: 60_000 });
    await turn();
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        for (const { clock } of [announced, silent]) clock.advance(1000);
        await turn();
      }
    };
    // Once, because of what may have happened before it was followed.
    expect(announced.reads()).toBe(1);
    await pass(30);
    expect([announced.reads(), silent.reads()]).toEqual([1, 30]);
    announce();
    await turn();
    expect(announced.reads()).toBe(2);
    await pass(40);
    expect(announced.reads()).toBe(3);
    const stop = announced.store.listen('thing', () => {});
    await pass(5);
    expect(announced.reads()).toBe(8);
    stop();
    await pass(60);
    expect(announced.reads()).toBeLessThanOrEqual(10);
  });

  test('a change announced by the system is read and pushed at once, bursts joined', async () => {
    let announce = () => {};
    let stopped = 0;
    let value = 0;
    const { store, reads, clock } = createTestStore({
      read: async () => ({ value: value++ }),
      watch(changed) {
        announce = changed;
        return () => {
          stopped += 1;
        };
      },
    });
    const seen: unknown[] = [];
    const stop = store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    for (let burst = 0; burst < 50; burst += 1) announce();
    await turn();
    expect(seen).toEqual([{ value: 0 }]);
    clock.advance(50);
    await turn();
    expect(seen).toEqual([{ value: 0 }, { value: 1 }]);
    clock.advance(200);
    await turn();
    expect(reads()).toBe(2);
    stop();
    expect(stopped).toBe(1);
  });

  test('a change whose read takes longer than a request may wait is pushed when it is done', async () => {
    let announce = () => {};
    let reading: TestPayload | Promise<TestPayload> = { value: 1 };
    const { store, clock } = createTestStore(
      {
        read: () => reading,
        watch(changed) {
          announce = changed;
          return () => {};
        },
      },
      {},
      day,
    );
    const seen: unknown[] = [];
    store.listen('thing', ({ payload }) => seen.push(payload), { seen: await store.get('thing') });
    await turn();
    clock.advance(1000);
    const slow = Promise.withResolvers<TestPayload>();
    reading = slow.promise;
    announce();
    const answer = store.get('thing');
    clock.advance(3000);
    await turn();
    expect([await payloadOf(answer), seen]).toEqual([{ value: 1 }, []]);
    slow.resolve({ value: 2 });
    await turn();
    expect(seen).toEqual([{ value: 2 }]);
  });

  test('a read that takes longer than a request may wait, and longer than the interval, is pushed as well', async () => {
    let slow = Promise.withResolvers<TestPayload>();
    const { store, clock, reads } = createTestStore({ read: () => slow.promise });
    const seen: unknown[] = [];
    store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    for (const value of [1, 2]) {
      clock.advance(1000);
      await turn();
      clock.advance(4000);
      await turn();
      slow.resolve({ value });
      slow = Promise.withResolvers<TestPayload>();
      await turn();
    }
    expect(seen).toEqual([{ value: 1 }, { value: 2 }]);
    expect(reads()).toBe(2);
  });

  /** Listens to a source that is abandoned after its first reading; `left` is called when the source of that number is no longer followed. */
  const replaceSource = async (left: (number: number) => void) => {
    const announces: (() => void)[] = [];
    let reading: TestPayload | Promise<TestPayload> = { value: 1 };
    const create = (): Source<TestPayload> => ({
      read: () => reading,
      watch(changed) {
        const mine = announces.push(changed);
        return () => left(mine);
      },
    });
    const { store, clock, logged } = createTestStore({}, { sources: { linux: async () => create } }, 60_000);
    const seen: unknown[] = [];
    const stop = store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    clock.advance(1000);
    reading = new Promise(() => {});
    announces[0]?.();
    clock.advance(10_000);
    await turn();
    reading = { value: 2 };
    clock.advance(49_000);
    await turn();
    const announce = async (value: number) => {
      clock.advance(1000);
      reading = { value };
      announces[1]?.();
      await turn();
    };
    return { seen, logged, stop, announce, watches: announces.length };
  };

  test('an abandoned source is no longer followed, and its replacement is', async () => {
    const stopped: number[] = [];
    const { seen, stop, announce, watches } = await replaceSource((number) => stopped.push(number));
    expect([seen, stopped, watches]).toEqual([[{ value: 1 }, { value: 2 }], [1], 2]);
    await announce(3);
    expect(seen.at(-1)).toEqual({ value: 3 });
    stop();
    expect(stopped).toEqual([1, 2]);
  });

  test('a source that fails to unsubscribe does no harm, and its replacement is followed', async () => {
    const { logged, stop, watches } = await replaceSource(() => {
      throw new Error('it is gone already');
    });
    expect(watches).toBe(2);
    stop();
    expect(logged.filter((line) => line.includes('could not stop following changes'))).toHaveLength(2);
  });

  test('a change before the source was followed is pushed too', async () => {
    let value = 1;
    const loaded = Promise.withResolvers<void>();
    const source: Source<TestPayload> = { read: () => ({ value }), watch: () => () => {} };
    const { store } = createTestStore(
      {},
      {
        sources: {
          linux: async () => {
            await loaded.promise;
            return () => source;
          },
        },
      },
      day,
    );
    const seen: unknown[] = [];
    const first = store.get('thing');
    loaded.resolve();
    store.listen('thing', ({ payload }) => seen.push(payload), { seen: await first });
    value = 2;
    await turn();
    expect(seen).toEqual([{ value: 2 }]);
  });

  test('a listener that throws does not affect the others', async () => {
    const { store, clock } = createTestStore({});
    const seen: unknown[] = [];
    store.listen('thing', () => {
      throw new Error('broken pipe');
    });
    store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    clock.advance(1000);
    await turn();
    expect(seen).toEqual([{ value: 0 }]);
  });

  test('a source that fails or is slow does not end the updates', async () => {
    let mode: 'good' | 'throw' | 'hang' = 'throw';
    const { store, clock } = createTestStore({
      read() {
        if (mode === 'throw') throw new Error('not now');
        return mode === 'hang' ? new Promise(() => {}) : { value: 4 };
      },
    });
    const seen: unknown[] = [];
    store.listen('thing', ({ payload }) => seen.push(payload));
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.advance(500);
        await turn();
      }
    };
    await turn();
    await pass(2000);
    mode = 'hang';
    await pass(15_000);
    mode = 'good';
    await pass(15_000);
    expect(seen.at(-1)).toEqual({ value: 4 });
  });

  test('the interval of the settings overrides the default', async () => {
    const clock = fakeClock();
    let reads = 0;
    const definition: ModuleDefinition = {
      name: 'thing',
      description: 'A thing',
      schema: async () => z.unknown(),
      everyMs: 1000,
      empty: {},
      sources: { linux: async () => () => ({ read: () => ({ reads: reads++ }) }) },
    };
    const settings = { ...defaultSettings, modules: { thing: { interval: 5000 } } };
    const context = fakeContext({ settings: () => settings });
    const store = createStore({ modules: [definition], host: fakeHost({ clock }), context });
    store.listen('thing', () => {});
    await turn();
    clock.advance(4999);
    await turn();
    expect(reads).toBe(0);
    clock.advance(1);
    await turn();
    expect(reads).toBe(1);
    expect((await store.describe())[0]?.interval_ms).toBe(5000);
  });
});
