import { expect, test } from 'bun:test';
import { quietTray } from '../../../test/harness/tray-facts.ts';
import { defaultSettings } from '../../features/index.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { Tray, TrayEvents, TrayView } from './tray.contract.ts';
import type { TrayFacts } from './tray.menu.ts';
import type { TrayState } from './tray.state.ts';
import { followTray, type TrayOrders } from './tray.ts';

function setUp({ systemTray = true, fails = false, isLive = false } = {}) {
  const shown: { view: TrayView; views: TrayView[]; events: TrayEvents; isGone: boolean }[] = [];
  const [said, done]: [string[], string[]] = [[], []];
  const tray = {
    isLive,
    async show(view: TrayView, events: TrayEvents) {
      if (fails) throw new Error('the tray icon cannot be shown: no desktop');
      const one = { view, views: [view], events, isGone: false };
      shown.push(one);
      return {
        isShown: true,
        update: (next: TrayView) => void one.views.push(next),
        remove() {
          one.isGone = true;
        },
      };
    },
  };
  const changed: ((settings: Settings) => void)[] = [];
  const settings = {
    current: () => ({ ...defaultSettings, systemTray }),
    onChange(listener: (settings: Settings) => void) {
      changed.push(listener);
      return () => {};
    },
  };
  const hanging: { open?: Promise<void> } = {};
  const orders: TrayOrders = {
    async openDashboard() {
      done.push('open');
      await hanging.open;
    },
    async pauseControl(seconds) {
      done.push(`pause ${seconds}`);
    },
    resumeControl: () => Promise.reject(new Error('the service is not running')),
    async copyText(text) {
      done.push(`copy ${text}`);
    },
    quit: () => void done.push('quit'),
  };
  let facts = quietTray;
  const followers = new Set<() => void>();
  const state: TrayState = {
    facts: async () => facts,
    follow(listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
    async cancelOrder(number) {
      done.push(`cancel ${number}`);
      return facts.pending?.number === number;
    },
    showPrompt: (number) => void done.push(`prompt ${number}`),
  };
  const become = (next: Partial<TrayFacts>) => {
    facts = { ...quietTray, ...next };
    for (const follower of followers) follower();
  };
  const log = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) };
  const start = (host: { tray?: Tray } = { tray }) =>
    followTray({
      tray: host.tray,
      log,
      settings: settings as never,
      orders,
      address: quietTray.address,
      state: () => state,
    });
  const change = (isOn: boolean) => {
    for (const listener of changed) listener({ ...defaultSettings, systemTray: isOn });
  };
  return { start, shown, said, done, change, become, followers, hanging };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the icon is shown as long as the setting is on, once', async () => {
  const { start, shown, change } = setUp({ systemTray: false });
  const tray = start();
  await settle();
  expect(shown).toEqual([]);
  change(true);
  change(true);
  await settle();
  expect(shown.map(({ isGone }) => isGone)).toEqual([false]);
  change(false);
  await settle();
  expect(shown.map(({ isGone }) => isGone)).toEqual([true]);
  change(true);
  await settle();
  await tray.stop();
  expect(shown.map(({ isGone }) => isGone)).toEqual([true, true]);
});

test('the menu runs its actions, and a failure is logged', async () => {
  const { start, shown, done, said } = setUp();
  start();
  await settle();
  const items = shown[0]?.view.items ?? [];
  expect(items.map((item) => item?.label ?? '-')).toEqual([
    'Open dashboard',
    'Copy address',
    '-',
    'Pause control for an hour',
    'Pause control until resumed',
    'Resume control',
    '-',
    'Quit',
  ]);
  expect(items.find((item) => item?.id === 'copy')?.copies).toBe('http://localhost:9170');
  for (const item of items) if (item !== null && item.copies === undefined) shown[0]?.events.chosen(item.id);
  await settle();
  expect(done).toEqual(['open', 'pause 3600', 'pause null', 'quit']);
  expect(said).toContain('tray: pause-hour was chosen');
  expect(said).toContain('tray: resume: the service is not running');
});

test('a live menu copies the address', async () => {
  const { start, shown, done } = setUp({ isLive: true });
  start();
  await settle();
  shown[0]?.events.chosen('copy');
  await settle();
  expect(done).toEqual(['copy http://localhost:9170']);
});

test('a live menu follows the state, and stops following when it is gone', async () => {
  const { start, shown, become, followers, change } = setUp({ isLive: true });
  start();
  await settle();
  become({ paused: { since: 0, until: null, by: 'main' } });
  await settle();
  expect(shown[0]?.views.map(({ icon }) => icon)).toEqual(['normal', 'paused']);
  become({ clients: ['Phone'] });
  expect((await shown[0]?.events.opening())?.items[2]?.label).toBe('1 connected: Phone');
  change(false);
  await settle();
  expect([followers.size, shown[0]?.isGone]).toEqual([0, true]);
});

test('an entry about one order or prompt never applies to another', async () => {
  const { start, shown, become, done, said } = setUp({ isLive: true });
  start();
  await settle();
  become({ pending: { number: 4, verb: 'restart', will: 'The machine will restart', at: 0, token: 'Phone' } });
  for (const id of ['cancel:3', 'cancel:4', 'prompt:9', 'constructor']) shown[0]?.events.chosen(id);
  await settle();
  expect(done).toEqual(['cancel 3', 'cancel 4', 'prompt 9']);
  expect(said).toContain('tray: cancel:3: this order is no longer pending');
  expect(said).not.toContain('tray: cancel:4: this order is no longer pending');
});

test('a second press during an action does nothing', async () => {
  const { start, shown, done, hanging } = setUp({ isLive: true });
  const { promise, resolve } = Promise.withResolvers<void>();
  hanging.open = promise;
  start();
  await settle();
  for (let times = 0; times < 100; times++) shown[0]?.events.chosen('open');
  await settle();
  expect(done).toEqual(['open']);
  resolve();
  await settle();
  shown[0]?.events.chosen('open');
  await settle();
  expect(done).toEqual(['open', 'open']);
});

test('the log says why no icon can be shown, and a system without one is not queried', async () => {
  const broken = setUp({ fails: true });
  broken.start();
  await settle();
  expect(broken.said).toEqual(['tray: the tray icon cannot be shown: no desktop']);
  const none = setUp();
  await none.start({}).stop();
  expect(none.said).toEqual([]);
});
