import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import { createStore } from '../../core/store.ts';
import { followedClipboardLinux } from './clipboard.linux.ts';
import { clipboard } from './clipboard.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const noDesktop = () => {
  const calls = { finds: 0, afresh: 0, watchers: 0 };
  const session = {
    find: async (afresh?: boolean) => {
      calls.finds++;
      if (afresh === true) calls.afresh++;
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
  session: noDesktop().host.session,
}));

test('without a listener nothing is read, and the reason names clipboard.get', () => {
  const { calls, host } = noDesktop();
  const { reasons, collected } = collectReasons();
  const source = followedClipboardLinux(host, fakeContext());
  expect(source.read(reasons)).toEqual({ content: null });
  expect(collected).toEqual([
    {
      field: 'content',
      reason: 'The clipboard is read only while a client listens; clipboard.get reads it once',
      mendable: false,
    },
  ]);
  expect(calls).toEqual({ finds: 0, afresh: 0, watchers: 0 });
});

test('listeners without the scope do not cause a read', () => {
  const { calls, host } = noDesktop();
  const source = followedClipboardLinux(host, { ...fakeContext(), withheld: true });
  source.watch?.(() => {})();
  source.watch?.(() => {});
  expect(source.read(collectReasons().reasons)).toEqual({ content: null });
  expect(calls).toEqual({ finds: 0, afresh: 0, watchers: 0 });
});

test('without a desktop the listener gets the reason, and nothing is followed after it leaves', async () => {
  const { calls, host } = noDesktop();
  let changes = 0;
  const source = followedClipboardLinux(host, fakeContext());
  const stop = source.watch?.(() => changes++);
  await until(() => changes > 0, 'the reason is reported');
  const { reasons, collected } = collectReasons();
  expect(source.read(reasons)).toEqual({ content: null });
  expect(collected).toMatchObject([{ field: 'content', mendable: false }]);
  expect(collected[0]?.reason).toContain('no desktop of this user is running');
  stop?.();
  expect(calls.watchers).toBe(0);
  const after = collectReasons();
  source.read(after.reasons);
  expect(after.collected[0]?.reason).toContain('only while a client listens');
});

test('a session without a clipboard is tried once, as long as the same one is found', async () => {
  let tries = 0;
  const sessionWithout = () => ({
    variables: {},
    x11: null,
    get wayland() {
      tries++;
      return null;
    },
  });
  let found = sessionWithout();
  const host = fakeHost({ session: { find: async () => found, watch: () => () => {} } });
  const source = followedClipboardLinux(host, fakeContext());
  const stop = source.watch?.(() => {});
  const readAgain = async () => {
    source.read(collectReasons().reasons);
    await turn();
    return tries;
  };
  await turn();
  expect(await readAgain()).toBe(1);
  expect(await readAgain()).toBe(1);
  found = sessionWithout();
  expect(await readAgain()).toBe(2);
  stop?.();
});

test('without a desktop each read connects again, but the reported reason causes no further attempt', async () => {
  const { calls, host } = noDesktop();
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
  // The search is shared with other modules; a session that starts is announced.
  expect(calls.afresh).toBe(0);
  stop();
  store.close();
});

test('the clipboard has no entities, metrics, history or alerts', () => {
  const { entities, metrics, otlp, history, problems } = clipboard.module;
  expect([entities, metrics, otlp, history, problems]).toEqual([undefined, undefined, undefined, undefined, undefined]);
});
