import { expect, test } from 'bun:test';
import type { TrayItem } from './host/tray.ts';
import { defaultSettings } from './settings/settings.defaults.ts';
import type { Settings } from './settings/settings.schema.ts';
import { followTray, type TrayOrders } from './tray.ts';

function desk({ systemTray = true, fails = false } = {}) {
  const shown: { items: (TrayItem | null)[]; chosen(id: string): void; isGone: boolean }[] = [];
  const [said, done]: [string[], string[]] = [[], []];
  const tray = {
    async show(_tip: string, items: (TrayItem | null)[], chosen: (id: string) => void) {
      if (fails) throw new Error('Windows shows no icon: no desktop');
      const one = { items, chosen, isGone: false };
      shown.push(one);
      const remove = () => {
        one.isGone = true;
      };
      return { isShown: true, remove };
    },
  };
  const changed: ((settings: Settings) => void)[] = [];
  const settings = {
    current: () => ({ ...defaultSettings, systemTray }),
    onChange(heard: (settings: Settings) => void) {
      changed.push(heard);
      return () => {};
    },
  };
  const orders: TrayOrders = {
    openDashboard: async () => void done.push('open'),
    async pauseControl(seconds) {
      done.push(`pause ${seconds}`);
    },
    resumeControl: () => Promise.reject(new Error('the service is not running')),
    quit: () => void done.push('quit'),
  };
  const log = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) };
  const start = (host: Parameters<typeof followTray>[0]['host'] = { tray }) =>
    followTray({ host, log, settings: settings as never, orders, address: 'http://localhost:9170' });
  const change = (isOn: boolean) => {
    for (const heard of changed) heard({ ...defaultSettings, systemTray: isOn });
  };
  return { start, shown, said, done, change };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the icon is there as long as the setting is on, once', async () => {
  const { start, shown, change } = desk({ systemTray: false });
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

test('its menu does what it says, and a failure is told in the log', async () => {
  const { start, shown, done, said } = desk();
  start();
  await settle();
  const items = shown[0]?.items ?? [];
  expect(items.map((item) => item?.label ?? '-')).toEqual([
    ...['Open dashboard', 'Copy address', '-'],
    ...['Pause control for an hour', 'Pause control', 'Resume control', '-', 'Quit'],
  ]);
  expect(items.find((item) => item?.id === 'copy')?.copies).toBe('http://localhost:9170');
  for (const item of items) if (item !== null && item.copies === undefined) shown[0]?.chosen(item.id);
  await settle();
  expect(done).toEqual(['open', 'pause 3600', 'pause null', 'quit']);
  expect(said).toContain('tray: pause-hour was chosen');
  expect(said).toContain('tray: resume: the service is not running');
});

test('where no icon can be shown the log says why, and a system without one is not asked', async () => {
  const broken = desk({ fails: true });
  broken.start();
  await settle();
  expect(broken.said).toEqual(['tray: Windows shows no icon: no desktop']);
  const none = desk();
  await none.start({}).stop();
  expect(none.said).toEqual([]);
});
