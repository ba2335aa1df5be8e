import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import { createStore } from '../../core/store.ts';
import { shownBytes } from './clipboard.content.ts';
import { followedClipboardLinux } from './clipboard.linux.ts';
import { mostFollowedBytes } from './clipboard.schema.ts';
import { clipboard } from './clipboard.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const nobody = () => {
  const calls = { finds: 0, watchers: 0 };
  const session = {
    find: async () => {
      calls.finds++;
      return { variables: {}, wayland: null, x11: null };
    },
    watch: () => {
      calls.watchers++;
      return () => void calls.watchers--;
    },
  };
  return { calls, host: fakeHost({ session }) };
};

testEachMachine('linux', import.meta.dirname, clipboard.module, followedClipboardLinux, () => ({
  session: nobody().host.session,
}));

test('nobody listens: nothing is looked for, and the reason says what reads it once', () => {
  const { calls, host } = nobody();
  const { reasons, collected } = collectReasons();
  const source = followedClipboardLinux(host, fakeContext());
  expect(source.read(reasons)).toEqual({ content: null });
  expect(collected).toEqual([
    {
      field: 'content',
      reason: 'It is looked at only while somebody listens; clipboard.get reads it once',
      mendable: false,
    },
  ]);
  expect(calls).toEqual({ finds: 0, watchers: 0 });
});

test('those who may not see it make nobody look at it', () => {
  const { calls, host } = nobody();
  const source = followedClipboardLinux(host, { ...fakeContext(), withheld: true });
  source.watch?.(() => {})();
  source.watch?.(() => {});
  expect(source.read(collectReasons().reasons)).toEqual({ content: null });
  expect(calls).toEqual({ finds: 0, watchers: 0 });
});

test('a machine without a desktop says so to those who listen, and is left alone when they are gone', async () => {
  const { calls, host } = nobody();
  let told = 0;
  const source = followedClipboardLinux(host, fakeContext());
  const stop = source.watch?.(() => told++);
  await until(() => told > 0, 'it is told');
  const { reasons, collected } = collectReasons();
  expect(source.read(reasons)).toEqual({ content: null });
  expect(collected).toMatchObject([{ field: 'content', mendable: false }]);
  expect(collected[0]?.reason).toContain('no desktop of this user is running');
  stop?.();
  expect(calls.watchers).toBe(0);
  const after = collectReasons();
  source.read(after.reasons);
  expect(after.collected[0]?.reason).toContain('only while somebody listens');
});

test('a machine without a desktop is tried again when it is read, and not because that was told', async () => {
  const { calls, host } = nobody();
  const store = createStore({ modules: [clipboard.module], host, context: fakeContext() });
  const view = store.seenBy({ scopes: new Set(['clipboard']) });
  const stop = view.listen('clipboard', () => {});
  const secondsPass = async (seconds: number) => {
    for (let at = 0; at < seconds * 20; at += 1) {
      host.clock.advance(50);
      await turn();
    }
  };
  await secondsPass(1);
  const tried = calls.finds;
  expect(tried).toBeGreaterThan(0);
  await secondsPass(10);
  expect(calls.finds).toBe(tried);
  await secondsPass(clipboard.module.everyMs / 1000);
  expect(calls.finds).toBeGreaterThan(tried);
  stop();
  store.close();
});

test('the limit that the schema promises is the one that holds', () => {
  expect(shownBytes).toBe(mostFollowedBytes);
});

test('nothing of it is made for home automation, metrics, the history or alerts', () => {
  const { entities, metrics, otlp, history, problems } = clipboard.module;
  expect([entities, metrics, otlp, history, problems]).toEqual([undefined, undefined, undefined, undefined, undefined]);
});
