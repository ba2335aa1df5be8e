import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { defaultSettings } from '../features/index.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { followAutostart } from './autostart.ts';
import type { InstallationState } from './installation/installation.contract.ts';

function machine(
  wanted: boolean,
  entry: { isThere: boolean; isSwitchedOff?: boolean; refuses?: boolean },
  isSupervised = false,
  isKnownOn = false,
) {
  let current: Settings = { ...defaultSettings, autostart: wanted };
  const listeners: ((settings: Settings) => void)[] = [];
  const change = (autostart: boolean) => {
    current = { ...current, autostart };
    for (const listener of listeners) listener(current);
    return current;
  };
  const state = async (): Promise<InstallationState> => ({
    startsAtLogin: entry.isThere && !entry.isSwitchedOff,
    isSwitchedOff: entry.isSwitchedOff ?? false,
    lines: [],
  });
  const installation = {
    state,
    async setAutostart(isWanted: boolean) {
      if (entry.refuses) throw new Error('no');
      Object.assign(entry, { isThere: isWanted, isSwitchedOff: false });
    },
    install: async () => [],
    remove: async () => [],
  };
  let asked = 0;
  const done = followAutostart({
    host: fakeHost(),
    isSupervised,
    isKnownOn,
    log: fakeContext().log,
    settings: {
      current: () => current,
      onChange: (listener) => (listeners.push(listener) > 0 ? () => {} : () => {}),
      update: async (patch) => change((patch as { autostart: boolean }).autostart),
    },
    find: async () => {
      asked += 1;
      return installation;
    },
  });
  return { done, change, entry, setting: () => current.autostart, asked: () => asked };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('changing the setting adds and removes the autostart entry', async () => {
  const { change, entry, setting } = machine(false, { isThere: false });
  change(true);
  await settled();
  expect([entry.isThere, setting()]).toEqual([true, true]);
  change(false);
  await settled();
  expect([entry.isThere, setting()]).toEqual([false, false]);
});

test('if the system refuses, the autostart setting shows the actual state', async () => {
  const { change, setting } = machine(false, { isThere: false, refuses: true });
  change(true);
  await settled();
  expect(setting()).toBe(false);
});

test("an entry that the user switched off in the system's list is off; a missing entry is added", async () => {
  const off = machine(true, { isThere: true, isSwitchedOff: true });
  await off.done;
  expect([off.setting(), off.entry.isSwitchedOff]).toEqual([false, true]);
  const missing = machine(true, { isThere: false });
  await missing.done;
  expect([missing.setting(), missing.entry.isThere]).toEqual([true, true]);
});

test('if autostart was never switched on, the system is not queried', async () => {
  const { done, asked } = machine(false, { isThere: false });
  await done;
  expect(asked()).toBe(0);
});

test("a service started by the system shows the system's actual state", async () => {
  const enabled = machine(false, { isThere: true }, true);
  await enabled.done;
  expect([enabled.setting(), enabled.entry.isThere]).toEqual([true, true]);
  const byHand = machine(false, { isThere: false }, true);
  await byHand.done;
  expect([byHand.setting(), byHand.entry.isThere]).toEqual([false, false]);
});

test('a process that the system started at login does not ask the system whether it does', async () => {
  const started = machine(true, { isThere: true }, false, true);
  await started.done;
  expect([started.asked(), started.setting()]).toEqual([0, true]);
});
