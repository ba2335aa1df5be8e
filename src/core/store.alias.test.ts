import { expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { until } from '../../test/harness/until.ts';
import { defineModule } from './module.ts';
import { createStore } from './store.ts';

interface Thing {
  value: number | null;
}

/** A module that the test makes exist or not. */
function thing() {
  const now: { payload: Thing | null; reads: number; changed(): void } = { payload: null, reads: 0, changed: () => {} };
  const definition = defineModule<Thing>({
    name: 'thing',
    description: 'A thing',
    schema: async () => z.object({ value: z.number().nullable() }),
    everyMs: 1000,
    empty: { value: null },
    comesAndGoes: true,
    alias: { name: 'gadget', absent: { value: null } },
    sources: {
      linux: async () => () => ({
        read(reasons) {
          now.reads += 1;
          if (now.payload === null) reasons.missing(null, 'it is not set up');
          return now.payload;
        },
        watch(changed) {
          now.changed = changed;
          return () => {};
        },
      }),
    },
  });
  const host = fakeHost();
  const store = createStore({ modules: [definition], host, context: fakeContext() });
  return { now, host, store };
}

test('the older name gives the same data, from one read, and is not listed', async () => {
  const { now, store } = thing();
  now.payload = { value: 1 };
  expect(await store.get('gadget')).toBe(await store.get('thing'));
  expect(now.reads).toBe(1);
  expect(store.names).toEqual(['thing']);
  expect(store.aliases).toEqual(['gadget']);
  expect(store.knows('gadget')).toBe(true);
  expect((await store.describe()).map(({ name }) => name)).toEqual(['thing']);
  expect(() => store.get('widget')).toThrow('available: thing');
});

test('a module that does not exist is absent under its own name, and has a payload under the older one', async () => {
  const { store } = thing();
  await expect((async () => await store.get('thing'))()).rejects.toThrow('it is not set up');
  expect((await store.get('gadget')).payload).toEqual({ value: null });
});

test('listeners of the older name get a payload when the module disappears, listeners of its name get nothing', async () => {
  const { now, store } = thing();
  const received: Record<string, unknown[]> = { thing: [], gadget: [] };
  const seen = await store.get('gadget');
  store.listen('gadget', ({ payload }) => received.gadget?.push(payload), { seen });
  store.listen('thing', ({ payload }) => received.thing?.push(payload));
  await store.refresh();
  expect(received).toEqual({ thing: [], gadget: [] });
  now.payload = { value: 7 };
  await store.refresh();
  now.payload = null;
  await store.refresh();
  await store.refresh();
  expect(received).toEqual({ thing: [{ value: 7 }], gadget: [{ value: 7 }, { value: null }] });
  now.payload = { value: 7 };
  await store.refresh();
  expect(received.thing).toEqual([{ value: 7 }, { value: 7 }]);
  store.close();
});

test('the description of a module that comes and goes uses a fresh reading', async () => {
  const { now, host, store } = thing();
  const availability = async () => (await store.describe())[0]?.availability;
  expect(await availability()).toBe('unavailable');
  now.payload = { value: 1 };
  host.clock.advance(300);
  expect(await availability()).toBe('available');
  now.payload = null;
  host.clock.advance(300);
  await until(async () => (await availability()) === 'unavailable', 'it is gone');
});
