import { describe, expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { nativeOf } from '../../../test/doubles/recorded-native.ts';
import { readOnce, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import type { WindowsEvent } from '../../host/windows/messages.ts';
import { guidBytes, guidText } from '../../host/windows/native/guid.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import { settingEvent } from '../../host/windows/native/message-window.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { POWERBROADCAST_SETTING } from '../../host/windows/native/user32.structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { powerProfileWindows } from './session.power-profile.windows.ts';
import { session } from './session.ts';
import { sessionWindows } from './session.windows.ts';

testEachMachine('windows', import.meta.dirname, session.module, sessionWindows);

const balanced = '381b4222-f694-41f0-9685-ff5bb260df2e';

interface Machine {
  sinceInput: number | null;
  window: { title: string; pid: number; fullscreen: boolean } | null;
  locked: boolean | null;
  latest: { lidClosed: boolean | null; locked: boolean | null };
  /** The state of the lid that Windows sends on subscription. */
  lidAtOnce: boolean | null;
  hasLid: boolean;
  line: number;
  saving: number;
  plan: { id: string; overlay: string | null } | null;
  notifications: number | null;
  quiet: number | null;
}

function machine(given: Partial<Machine> = {}, withheld = false) {
  const now: Machine = {
    sinceInput: 1000,
    window: { title: 'A letter', pid: 7, fullscreen: false },
    locked: false,
    latest: { lidClosed: null, locked: null },
    lidAtOnce: null,
    hasLid: false,
    line: 1,
    saving: 0,
    plan: { id: balanced, overlay: null },
    notifications: 5,
    quiet: 0,
    ...given,
  };
  const followers = new Set<(event: WindowsEvent) => void>();
  const calls: string[] = [];
  const native = {
    desk: {
      sinceInput: () => now.sinceInput,
      foreground: () => {
        calls.push('foreground');
        return now.window;
      },
    },
    kernel32: {
      processImage: (pid: number) => (pid === 7 ? 'C:\\Windows\\notepad.exe' : null),
      powerStatus: () => structBytes(SYSTEM_POWER_STATUS, { ACLineStatus: now.line, SystemStatusFlag: now.saving }),
    },
    wtsapi32: { ownStation: () => 'Console', isLocked: () => now.locked },
    shell32: { notificationState: () => now.notifications },
    ntdll: { quietHours: () => now.quiet },
    powrprof: {
      powerPlan: () => now.plan,
      planName: () => 'Mine \u202e',
      capabilities: () => structBytes(SYSTEM_POWER_CAPABILITIES, { LidPresent: now.hasLid ? 1 : 0 }),
    },
  };
  const messages = {
    latest: () => now.latest,
    async follow(listener: (event: WindowsEvent) => void) {
      followers.add(listener);
      now.latest = { ...now.latest, lidClosed: now.latest.lidClosed ?? now.lidAtOnce };
      return () => void followers.delete(listener);
    },
  };
  const host = fakeHost({ platform: 'windows', native: nativeOf(native), messages } as never);
  const source = sessionWindows(host as unknown as WindowsHost, fakeContext({ withheld }));
  const read = async () => {
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(unexplained(payload, reasons)).toEqual([]);
    (await session.module.schema()).parse(payload);
    return payload;
  };
  return { now, read, source, followers, calls, clock: host.clock };
}

describe('the session of Windows', () => {
  test('is reported with the active window', async () => {
    expect(await machine().read()).toMatchObject({
      type: 'windows',
      seat: 'Console',
      idle: false,
      idle_since: null,
      locked: false,
      on_battery: false,
      do_not_disturb: false,
      power_profile: 'balanced',
      lid_closed: null,
      active_window: { title: 'A letter', app: 'notepad.exe', pid: 7, fullscreen: false },
    });
  });

  test('is idle since the last input, after the time of the settings', async () => {
    const { read, clock } = machine({ sinceInput: 86_400_000 });
    expect(await read()).toMatchObject({ idle: true, idle_since: Math.floor((clock.now() - 86_400_000) / 1000) });
    expect(await machine({ sinceInput: null }).read()).toMatchObject({ idle: null, idle_since: null });
  });

  test('has no active window for callers without the scope, and does not read it for them', async () => {
    const { read, calls, source, clock } = machine({}, true);
    expect((await read())?.active_window).toBeNull();
    const stop = source.watch?.(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    stop?.();
    expect(calls).toEqual([]);
  });

  test('has a window title without control characters, of a program that cannot be read', async () => {
    const window = { title: `\u0007\u202e${'x'.repeat(1023)}`, pid: 8, fullscreen: true };
    const shown = (await machine({ window }).read())?.active_window;
    expect(shown).toMatchObject({ app: null, pid: 8, fullscreen: true });
    expect(shown?.title).toStartWith('\ufffdxx');
    expect([...(shown?.title ?? '')]).toHaveLength(256);
  });

  test.each([
    [false, true, false],
    [true, null, true],
    [null, true, true],
    [null, null, null],
  ])('is locked as Windows reports (%p), or as it announced last (%p): %p', async (locked, last, expected) => {
    const latest = { lidClosed: null, locked: last };
    expect((await machine({ locked, latest }).read())?.locked).toBe(expected);
  });

  test.each([
    [5, 0, false],
    [5, 1, true],
    [5, 2, true],
    [5, null, null],
    [2, null, true],
    [3, 0, true],
    [4, 0, true],
    [1, 0, false],
    [null, null, null],
  ])('silences notifications in state %p with quiet hours %p: %p', async (notifications, quiet, expected) => {
    expect((await machine({ notifications, quiet }).read())?.do_not_disturb).toBe(expected);
  });

  test.each([
    [{ id: balanced, overlay: '00000000-0000-0000-0000-000000000000' }, 0, 'balanced'],
    [{ id: balanced, overlay: '961cc777-2547-4f9d-8174-7d86181b8a7a' }, 0, 'power-saver'],
    [{ id: balanced, overlay: 'ded574b5-45a0-4f42-8737-46345c09c238' }, 0, 'performance'],
    [{ id: '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c', overlay: null }, 0, 'performance'],
    [{ id: balanced, overlay: 'ded574b5-45a0-4f42-8737-46345c09c238' }, 1, 'power-saver'],
    [{ id: '11111111-0000-0000-0000-000000000000', overlay: null }, 0, 'Mine '],
    [null, 0, null],
  ])('has the power plan %p, saving %p: %p', async (plan, saving, expected) => {
    expect((await machine({ plan, saving }).read())?.power_profile).toBe(expected);
  });

  test('sets the power plan of a profile that this Windows has', async () => {
    const set: string[] = [];
    const powrprof = {
      powerPlan: () => ({ id: balanced, overlay: null }),
      planName: (id: string) => (id === balanced ? 'Balanced' : null),
      setPlan: (id: string) => set.push(id) > 0,
    };
    const control = powerProfileWindows({ native: async () => ({ powrprof }) } as unknown as WindowsHost);
    expect(await control.unavailable()).toBeNull();
    expect(await control.set('balanced')).toBe('balanced');
    expect(set).toEqual([balanced]);
    await expect(control.set('performance')).rejects.toMatchObject({
      code: 'invalid',
      message: 'There is no power profile "performance"; choose one of: balanced',
    });
  });

  test.each([
    [0, true],
    [1, false],
    [255, null],
  ])('runs on battery with the line %p: %p', async (line, expected) => {
    expect((await machine({ line }).read())?.on_battery).toBe(expected);
  });

  test.each([
    [true, true],
    [false, false],
    [null, null],
  ])('knows the lid when Windows sends %p on subscription', async (lidAtOnce, expected) => {
    const { read, followers } = machine({ hasLid: true, lidAtOnce });
    expect((await read())?.lid_closed).toBe(expected);
    expect(followers.size).toBe(0);
  });

  test('reports announced and polled changes while there is a listener', async () => {
    const { source, followers, clock, now } = machine();
    let changes = 0;
    const stop = source.watch?.(() => {
      changes += 1;
    });
    const pass = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1000);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await pass();
    now.sinceInput = 2000;
    await pass();
    expect(changes).toBe(0);
    for (const event of ['lock', 'lid-closed', 'power', 'shutdown'] as const)
      for (const listener of followers) listener(event);
    expect(changes).toBe(3);
    now.window = { title: 'Another', pid: 7, fullscreen: false };
    await pass();
    now.sinceInput = 86_400_000;
    await pass();
    expect(changes).toBe(5);
    stop?.();
    await Promise.resolve();
    expect(followers.size).toBe(0);
    expect(clock.advanceToNext()).toBeFalse();
  });
});

test('a changed power setting is the lid, or another one', () => {
  const lid = guidBytes('ba3e0f4d-b817-4094-a2d1-d56379e6a0f3');
  const setting = (PowerSetting: Uint8Array, value: number) =>
    structBytes(POWERBROADCAST_SETTING, { PowerSetting, DataLength: 4, 'Data[0]': value });
  expect(guidText(new Uint8Array(lid))).toBe('ba3e0f4d-b817-4094-a2d1-d56379e6a0f3');
  expect(settingEvent(setting(new Uint8Array(lid), 0))).toBe('lid-closed');
  expect(settingEvent(setting(new Uint8Array(lid), 1))).toBe('lid-open');
  expect(settingEvent(setting(new Uint8Array(16), 0))).toBe('power');
  expect(settingEvent(null)).toBe('power');
});
