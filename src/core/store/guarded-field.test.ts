import { expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import type { Scope } from '../../access/scopes.ts';
import { defineModule, type GuardedField, type SourceContext } from '../module.ts';
import { createStore } from '../store.ts';
import { withheldReason } from './guarded-field.ts';

interface Desk {
  user: string;
  window: { title: string } | null;
}

const guarded = { field: 'window', scope: 'screen' } as const;

/** A source that ignores guards and always includes the field. */
function desk(guard: GuardedField = guarded) {
  const now = { payload: { user: 'anna', window: { title: 'secret' } } as Desk | null, reads: 0 };
  const watchers = new Set<() => void>();
  const contexts: SourceContext[] = [];
  const definition = defineModule<Desk>({
    name: 'desk',
    description: 'A desk',
    schema: async () => z.object({ user: z.string(), window: z.object({ title: z.string() }).nullable() }),
    everyMs: 1000,
    empty: { user: '', window: null },
    alias: { name: 'table', absent: { user: '', window: null } },
    guarded: guard,
    sources: {
      linux: async () => (_host: unknown, context: SourceContext) => {
        contexts.push(context);
        return {
          read(reasons) {
            now.reads += 1;
            reasons.missing('window.title', 'the title is "secret"');
            reasons.inherent('user', 'something else');
            return now.payload;
          },
          watch(changed) {
            watchers.add(changed);
            return () => watchers.delete(changed);
          },
        };
      },
    },
  });
  const host = fakeHost();
  const store = createStore({ modules: [definition], host, context: fakeContext() });
  const say = (payload: Desk) => {
    now.payload = payload;
    for (const changed of watchers) changed();
  };
  return { now, store, host, say, watchers, contexts };
}

const seer = { scopes: new Set<Scope>(['read', 'screen']) };
const other = { scopes: new Set<Scope>(['read', 'admin']) };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each(['desk', 'table'])(
  '%s without a caller, and for one without the scope, is without the field',
  async (name) => {
    const { store } = desk();
    for (const view of [store, store.seenBy(other), store.seenBy({ scopes: new Set() })]) {
      const reading = await view.get(name);
      expect(reading.payload).toEqual({ user: 'anna', window: null });
      expect(reading.text).not.toContain('secret');
      expect(reading.reasons).toEqual([
        { field: 'user', reason: 'something else', mendable: false },
        withheldReason(guarded),
      ]);
    }
  },
);

test('a caller with the scope sees the field', async () => {
  const { store } = desk();
  const reading = await store.seenBy(seer).get('desk');
  expect(reading.payload).toEqual({ user: 'anna', window: { title: 'secret' } });
  expect(reading.reasons.map(({ field }) => field)).toEqual(['window.title', 'user']);
});

test('a caller without the scope gets no update when only the field changes, and reading costs reveal nothing', async () => {
  const { store, host, say, watchers } = desk();
  const whole: string[] = [];
  const shown: string[] = [];
  const stops = [
    store.seenBy(seer).listen('desk', ({ text }) => whole.push(text)),
    store.seenBy(other).listen('desk', ({ text }) => shown.push(text)),
  ];
  await until(() => watchers.size === 2 && whole.length === 1 && shown.length === 1, 'both listen');
  // Changes announced within this time are pushed together.
  host.clock.advance(100);
  say({ user: 'anna', window: { title: 'another' } });
  await until(() => whole.length === 2, 'the listener with the scope gets the update');
  await turn();
  expect(shown).toEqual([JSON.stringify({ user: 'anna', window: null })]);
  host.clock.advance(100);
  say({ user: 'bert', window: null });
  await until(() => shown.length === 2, 'all listeners get a change of the unguarded fields');
  for (const stop of stops) stop();
});

test('the costs of the two views are counted separately, and the totals are those without the field', async () => {
  const { store, host } = desk();
  for (let index = 0; index < 5; index++) {
    await store.seenBy(seer).get('desk');
    host.clock.advance(1000);
  }
  expect(store.costs()).toMatchObject([{ name: 'desk', reads: 0 }]);
  expect((await store.seenBy(other).describe())[0]?.cost.reads).toBe(1);
  expect((await store.describe())[0]?.reasons).toContainEqual(withheldReason(guarded));
  expect((await store.seenBy(seer).describe())[0]?.cost.reads).toBe(5);
});

test('the source without the field is created with `withheld`', async () => {
  const { store, contexts } = desk();
  await store.get('desk');
  await store.seenBy(seer).get('desk');
  expect(contexts.map(({ withheld = false }) => withheld)).toEqual([true, false]);
});

test('an absent module is absent for all callers', async () => {
  const { store, now } = desk();
  now.payload = null;
  const asked = async () => await store.get('desk');
  await expect(asked()).rejects.toThrow('not available');
});

test('two views of one module never share what is pushed', () => {
  const { store } = desk();
  expect(store.seenBy(seer).variant('desk')).not.toBe(store.variant('desk'));
  expect(store.seenBy(other).variant('desk')).toBe(store.variant('desk'));
  expect(store.seenBy(other)).toBe(store.seenBy({ scopes: new Set(['files']) }));
});

test('an agent with the scope sees the field, unless it is never shown to agents', async () => {
  const shown = async (guard: GuardedField, as: 'client' | 'agent') => {
    const { store } = desk(guard);
    const view = store.seenBy(seer, as);
    const { payload, reasons } = await view.get('desk');
    return { window: (payload as Desk).window, variant: view.variant('desk'), reasons };
  };
  expect(await shown(guarded, 'agent')).toMatchObject({ window: { title: 'secret' }, variant: 'desk+screen' });
  const never: GuardedField = { ...guarded, agents: false };
  expect(await shown(never, 'client')).toMatchObject({ window: { title: 'secret' }, variant: 'desk+screen' });
  const hidden = await shown(never, 'agent');
  expect(hidden).toMatchObject({ window: null, variant: 'desk' });
  expect(hidden.reasons).toContainEqual(withheldReason(never));
  expect(JSON.stringify(hidden)).not.toContain('secret');
});
