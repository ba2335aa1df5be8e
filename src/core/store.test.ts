import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { type FakeClock, fakeClock, fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { defaultSettings } from '../features/index.ts';
import { ServiceError } from '../lib/errors.ts';
import type { ModuleDefinition, Source } from './module.ts';
import type { Reading } from './reading.ts';
import { createStore, type Store } from './store.ts';

type Payload = { value: number | null };

interface Bench {
  store: Store;
  clock: FakeClock;
  reads(): number;
  closes(): number;
  /** How often `wasRead` was called. */
  noted(): number;
  logged: string[];
}

function bench(
  source: Partial<Source<Payload>>,
  given: Partial<ModuleDefinition<Payload>> = {},
  everyMs = 1000,
): Bench {
  const clock = fakeClock();
  const logged: string[] = [];
  let reads = 0;
  let closes = 0;
  let noted = 0;
  let value = 0;
  const whole: Source<Payload> = {
    ...source,
    read(reasons) {
      reads += 1;
      return source.read === undefined ? { value: value++ } : source.read(reasons);
    },
    close() {
      closes += 1;
      source.close?.();
    },
  };
  const definition: ModuleDefinition<Payload> = {
    name: 'thing',
    description: 'A thing',
    schema: async () => z.object({ value: z.number().nullable() }),
    everyMs,
    empty: { value: null },
    sources: { linux: async () => () => whole },
    ...given,
  };
  const { log } = fakeContext();
  const context = fakeContext({ log: { ...log, warn: (message) => logged.push(message) } });
  const wasRead = () => {
    noted += 1;
  };
  const store = createStore({ modules: [definition], host: fakeHost({ clock }), context, wasRead });
  return { store, clock, reads: () => reads, closes: () => closes, noted: () => noted, logged };
}

const payloadOf = async (reading: Reading | Promise<Reading>) => (await reading).payload;
const day = 86_400_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('asking', () => {
  test('nothing is read before a request', async () => {
    const { clock, reads } = bench({});
    clock.advance(3_600_000);
    expect(reads()).toBe(0);
  });

  test('concurrent requests share one read, which is counted once', async () => {
    const { store, reads, noted } = bench({});
    const answers = await Promise.all([store.get('thing'), store.get('thing'), store.get('thing')]);
    expect(answers.map(({ payload }) => payload)).toEqual([{ value: 0 }, { value: 0 }, { value: 0 }]);
    expect([reads(), noted()]).toEqual([1, 1]);
  });

  test('a payload younger than the minimum age is served from memory, at once and as the same bytes', async () => {
    const { store, clock, reads } = bench({});
    const first = await store.get('thing');
    clock.advance(249);
    const second = store.get('thing');
    expect(second).not.toBeInstanceOf(Promise);
    expect((await second).bytes).toBe(first.bytes);
    clock.advance(1);
    expect(await payloadOf(store.get('thing'))).toEqual({ value: 1 });
    expect(reads()).toBe(2);
  });

  test('a request waits 1.5 s at most and then gets the empty payload with the reason', async () => {
    const { store, clock } = bench({ read: () => new Promise(() => {}) });
    const answer = store.get('thing');
    await turn();
    clock.advance(1500);
    expect(await payloadOf(answer)).toEqual({ value: null });
    const [state] = await store.describe();
    expect(state?.availability).toBe('unavailable');
    expect(state?.reasons[0]?.reason).toContain('has not answered yet');
  });

  test('during a slow read, requests get the last payload', async () => {
    let slow = false;
    const { store, clock } = bench({ read: () => (slow ? new Promise(() => {}) : { value: 7 }) });
    await store.get('thing');
    slow = true;
    clock.advance(1000);
    const answer = store.get('thing');
    await turn();
    clock.advance(1500);
    expect(await payloadOf(answer)).toEqual({ value: 7 });
  });

  test('a result that arrives after the waiting time but before the deadline is stored', async () => {
    const reading = Promise.withResolvers<Payload>();
    const { store, clock, reads } = bench({ read: () => reading.promise });
    const answer = store.get('thing');
    await turn();
    clock.advance(1500);
    await answer;
    reading.resolve({ value: 9 });
    await turn();
    expect(await payloadOf(store.get('thing'))).toEqual({ value: 9 });
    expect(reads()).toBe(1);
  });

  /** Requests a read that exceeds its deadline. */
  const askInVain = async ({ store, clock }: Bench) => {
    const answer = store.get('thing');
    await turn();
    clock.advance(10_000);
    await answer;
  };

  test('a read is abandoned at its deadline, its source is replaced, and the next read works', async () => {
    let hang = true;
    const given = bench({ read: () => (hang ? new Promise(() => {}) : { value: 3 }) });
    const { store, clock, closes, logged } = given;
    await askInVain(given);
    expect(closes()).toBe(1);
    expect(logged).toEqual(['thing: its source did not answer within 10 s']);
    const [state] = await store.describe();
    expect(state?.reasons).toEqual([{ field: null, reason: 'its source did not answer within 10 s', mendable: true }]);
    hang = false;
    clock.advance(1000);
    expect(await payloadOf(store.get('thing'))).toEqual({ value: 3 });
  });

  test('a source is closed again when an abandoned read ends', async () => {
    const reading = Promise.withResolvers<Payload>();
    const given = bench({ read: () => reading.promise });
    await askInVain(given);
    expect(given.closes()).toBe(1);
    reading.resolve({ value: 1 });
    await turn();
    expect(given.closes()).toBe(2);
  });

  test('a source is closed again when a read ends after the store was closed, and not before', async () => {
    const reading = Promise.withResolvers<Payload>();
    let isSlow = false;
    const { store, clock, closes } = bench({ read: () => (isSlow ? reading.promise : Promise.resolve({ value: 1 })) });
    await store.get('thing');
    await turn();
    expect(closes()).toBe(0);
    isSlow = true;
    clock.advance(1000);
    void store.get('thing');
    store.close();
    expect(closes()).toBe(1);
    reading.resolve({ value: 2 });
    await turn();
    expect(closes()).toBe(2);
  });

  test('a source that throws affects its own module only, is logged once, and keeps the last payload', async () => {
    let broken = false;
    const { store, clock, logged } = bench({
      read() {
        if (broken) throw new Error('no such sensor');
        return { value: 5 };
      },
    });
    await store.get('thing');
    broken = true;
    for (let round = 0; round < 3; round += 1) {
      clock.advance(1000);
      expect(await payloadOf(store.get('thing'))).toEqual({ value: 5 });
    }
    expect(logged).toEqual(['thing: reading failed: no such sensor']);
    const [state] = await store.describe();
    expect(state?.availability).toBe('unavailable');
    broken = false;
    clock.advance(60_000);
    expect((await store.describe())[0]?.availability).toBe('available');
  });

  test('a source that cannot be loaded gives a reason, and is tried again', async () => {
    let loads = 0;
    const { store, clock } = bench(
      {},
      {
        sources: {
          linux: async () => {
            loads += 1;
            if (loads === 1) throw new Error('broken build');
            return () => ({ read: () => ({ value: 1 }) });
          },
        },
      },
    );
    expect(await payloadOf(store.get('thing'))).toEqual({ value: null });
    clock.advance(1000);
    expect(await payloadOf(store.get('thing'))).toEqual({ value: 1 });
  });

  test('an unknown module and one that does not exist now give different errors', async () => {
    const { store } = bench({
      read(reasons) {
        reasons.missing(null, 'set it up with "hostler chat setup"');
        return null;
      },
    });
    expect(() => store.get('nonsense')).toThrow('There is no module "nonsense"');
    const refusal = await Promise.resolve(store.get('thing')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ServiceError);
    expect(refusal).toMatchObject({
      code: 'not_found',
      message: 'The module thing is not available here: set it up with "hostler chat setup"',
    });
  });

  test('a platform without a source makes the module unavailable, with a reason', async () => {
    const { store } = bench({}, { sources: {} });
    const [state] = await store.describe();
    expect(state?.availability).toBe('unavailable');
    expect(state?.reasons[0]?.reason).toContain('not supported on this platform');
  });
});

describe('describing', () => {
  test('a reason the user can fix degrades, an inherent one does not', async () => {
    const inherent = bench({
      read(reasons) {
        reasons.inherent('value', 'this machine has none');
        return { value: null };
      },
    });
    expect((await inherent.store.describe())[0]?.availability).toBe('available');
    const missing = bench({
      read(reasons) {
        reasons.missing('value', 'plug it in');
        return { value: null };
      },
    });
    const [state] = await missing.store.describe();
    expect(state?.availability).toBe('degraded');
    expect(state?.reasons).toEqual([{ field: 'value', reason: 'plug it in', mendable: true }]);
  });

  test('reading costs are counted', async () => {
    const { store, clock } = bench({});
    await store.get('thing');
    clock.advance(1000);
    await store.get('thing');
    const [state] = await store.describe();
    expect(state?.cost).toEqual({ reads: 2, cpu_ms: 0, wall_ms: 0, bytes: '{"value":1}'.length, total_cpu_ms: 0 });
  });

  test('waiting for a processor is not counted as CPU time', async () => {
    const { store, clock } = bench({
      read() {
        clock.advance(500);
        return { value: 1 };
      },
    });
    await store.get('thing');
    clock.advance(1000);
    await store.get('thing');
    const [state] = await store.describe();
    expect(state?.cost).toMatchObject({ cpu_ms: 0, wall_ms: 500, total_cpu_ms: 0 });
  });
});

describe('listening', () => {
  test('updates come at the interval while there is a listener, and not afterwards', async () => {
    const { store, clock, reads } = bench({});
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
    const { store, clock, reads } = bench({ read: () => ({ value: 1 }) });
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

  test('a listener that only needs announced changes causes no reads at the interval, unless nothing is announced or another listener needs them', async () => {
    let announce = () => {};
    const announced = bench({
      watch(changed) {
        announce = changed;
        return () => {};
      },
    });
    const silent = bench({});
    for (const { store } of [announced, silent]) store.listen('thing', () => {}, undefined, 60_000);
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
    const { store, reads, clock } = bench({
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
    let reading: Payload | Promise<Payload> = { value: 1 };
    const { store, clock } = bench(
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
    store.listen('thing', ({ payload }) => seen.push(payload), await store.get('thing'));
    await turn();
    clock.advance(1000);
    const slow = Promise.withResolvers<Payload>();
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
    let slow = Promise.withResolvers<Payload>();
    const { store, clock, reads } = bench({ read: () => slow.promise });
    const seen: unknown[] = [];
    store.listen('thing', ({ payload }) => seen.push(payload));
    await turn();
    for (const value of [1, 2]) {
      clock.advance(1000);
      await turn();
      clock.advance(4000);
      await turn();
      slow.resolve({ value });
      slow = Promise.withResolvers<Payload>();
      await turn();
    }
    expect(seen).toEqual([{ value: 1 }, { value: 2 }]);
    expect(reads()).toBe(2);
  });

  /** Listens to a source that is abandoned after its first reading; `left` is called when the source of that number is no longer followed. */
  const replaceSource = async (left: (number: number) => void) => {
    const announces: (() => void)[] = [];
    let reading: Payload | Promise<Payload> = { value: 1 };
    const create = (): Source<Payload> => ({
      read: () => reading,
      watch(changed) {
        const mine = announces.push(changed);
        return () => left(mine);
      },
    });
    const { store, clock, logged } = bench({}, { sources: { linux: async () => create } }, 60_000);
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
    const source: Source<Payload> = { read: () => ({ value }), watch: () => () => {} };
    const { store } = bench(
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
    store.listen('thing', ({ payload }) => seen.push(payload), await first);
    value = 2;
    await turn();
    expect(seen).toEqual([{ value: 2 }]);
  });

  test('a listener that throws does not affect the others', async () => {
    const { store, clock } = bench({});
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
    const { store, clock } = bench({
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

test.each<[string, ModuleDefinition['isolated'], boolean]>([
  ['always', true, true],
  ['where it can block', { linux: async () => (host) => host.environment.kernel !== '' }, true],
  ['not where it cannot', { linux: async () => (host) => host.environment.kernel === '' }, false],
  ['never', undefined, false],
])('a module is read in its own thread: %s', async (_case, isolated, expected) => {
  const definition: ModuleDefinition = {
    name: 'thing',
    description: 'A thing',
    schema: async () => z.unknown(),
    everyMs: 1000,
    ...(isolated === undefined ? {} : { isolated }),
    empty: {},
    sources: { linux: async () => () => ({ read: () => ({ isolated: false }) }) },
  };
  const store = createStore({
    modules: [definition],
    host: fakeHost(),
    context: fakeContext(),
    isolate: async () => ({ read: () => ({ isolated: true }) }),
  });
  expect(await payloadOf(store.get('thing'))).toEqual({ isolated: expected });
});
