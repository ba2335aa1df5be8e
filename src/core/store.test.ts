import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { createTestStore, payloadOf, type TestPayload, type TestStore, turn } from '../../test/harness/test-store.ts';
import { ServiceError } from '../lib/errors.ts';
import type { ModuleDefinition } from './module.ts';
import { createStore } from './store.ts';

describe('requests to the store', () => {
  test('nothing is read before a request', async () => {
    const { clock, reads } = createTestStore({});
    clock.advance(3_600_000);
    expect(reads()).toBe(0);
  });

  test('concurrent requests share one read, which is counted once', async () => {
    const { store, reads, noted } = createTestStore({});
    const answers = await Promise.all([store.get('thing'), store.get('thing'), store.get('thing')]);
    expect(answers.map(({ payload }) => payload)).toEqual([{ value: 0 }, { value: 0 }, { value: 0 }]);
    expect([reads(), noted()]).toEqual([1, 1]);
  });

  test('a payload younger than the minimum age is served from memory, at once and as the same reading', async () => {
    const { store, clock, reads } = createTestStore({});
    const first = await store.get('thing');
    clock.advance(249);
    const second = store.get('thing');
    expect(second).not.toBeInstanceOf(Promise);
    expect(await second).toBe(first);
    clock.advance(1);
    expect(await payloadOf(store.get('thing'))).toEqual({ value: 1 });
    expect(reads()).toBe(2);
  });

  test('a request waits 1.5 s at most and then gets the empty payload with the reason', async () => {
    const { store, clock } = createTestStore({ read: () => new Promise(() => {}) });
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
    const { store, clock } = createTestStore({ read: () => (slow ? new Promise(() => {}) : { value: 7 }) });
    await store.get('thing');
    slow = true;
    clock.advance(1000);
    const answer = store.get('thing');
    await turn();
    clock.advance(1500);
    expect(await payloadOf(answer)).toEqual({ value: 7 });
  });

  test('a result that arrives after the waiting time but before the deadline is stored', async () => {
    const reading = Promise.withResolvers<TestPayload>();
    const { store, clock, reads } = createTestStore({ read: () => reading.promise });
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
  const askInVain = async ({ store, clock }: TestStore) => {
    const answer = store.get('thing');
    await turn();
    clock.advance(10_000);
    await answer;
  };

  test('a read is abandoned at its deadline, its source is replaced, and the next read works', async () => {
    let hang = true;
    const given = createTestStore({ read: () => (hang ? new Promise(() => {}) : { value: 3 }) });
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
    const reading = Promise.withResolvers<TestPayload>();
    const given = createTestStore({ read: () => reading.promise });
    await askInVain(given);
    expect(given.closes()).toBe(1);
    reading.resolve({ value: 1 });
    await turn();
    expect(given.closes()).toBe(2);
  });

  test('a source is closed again when a read ends after the store was closed, and not before', async () => {
    const reading = Promise.withResolvers<TestPayload>();
    let isSlow = false;
    const { store, clock, closes } = createTestStore({
      read: () => (isSlow ? reading.promise : Promise.resolve({ value: 1 })),
    });
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
    const { store, clock, logged } = createTestStore({
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
    const { store, clock } = createTestStore(
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
    const { store } = createTestStore({
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
    const { store } = createTestStore({}, { sources: {} });
    const [state] = await store.describe();
    expect(state?.availability).toBe('unavailable');
    expect(state?.reasons[0]?.reason).toContain('not supported on this platform');
  });
});

describe('the state of a module', () => {
  test('a reason the user can fix degrades, an inherent one does not', async () => {
    const inherent = createTestStore({
      read(reasons) {
        reasons.inherent('value', 'this machine has none');
        return { value: null };
      },
    });
    expect((await inherent.store.describe())[0]?.availability).toBe('available');
    const missing = createTestStore({
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
    const { store, clock } = createTestStore({});
    await store.get('thing');
    clock.advance(1000);
    await store.get('thing');
    const [state] = await store.describe();
    expect(state?.cost).toEqual({ reads: 2, cpu_ms: 0, wall_ms: 0, bytes: '{"value":1}'.length, total_cpu_ms: 0 });
  });

  test('waiting for a processor is not counted as CPU time', async () => {
    const { store, clock } = createTestStore({
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
