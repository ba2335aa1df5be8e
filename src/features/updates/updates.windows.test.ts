import { describe, expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { elsewhere } from '../../../test/doubles/recorded-native.ts';
import { readOnce, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import type { Native } from '../../host/windows/native/native.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { updates } from './updates.ts';
import { updatesWindows } from './updates.windows.ts';
import type { PendingUpdate } from './wuapi.windows.ts';

testEachMachine('windows', import.meta.dirname, updates.module, updatesWindows);

function machine(found: { count: number; updates: PendingUpdate[] } | Error) {
  const now = { found, keys: [] as string[], checked: null as string | null, renames: null as string | null };
  let searches = 0;
  const native = {
    wuapi: {
      pending: () => {
        searches += 1;
        if (now.found instanceof Error) throw now.found;
        return now.found;
      },
    },
    advapi32: {
      hasKey: (_root: string, key: string) => now.keys.some((ending) => key.endsWith(ending)),
      value: (_root: string, _key: string, name: string) => (name === 'LastSuccessTime' ? now.checked : now.renames),
    },
  } as unknown as Native;
  const parts = { platform: 'windows', native: async () => native, nativeElsewhere: elsewhere(native) };
  const host = fakeHost(parts as never);
  const source = updatesWindows(host as unknown as WindowsHost, fakeContext());
  const read = async () => {
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(unexplained(payload, reasons)).toEqual([]);
    (await updates.module.schema()).parse(payload);
    return payload;
  };
  return { now, read, source, clock: host.clock, searches: () => searches };
}

const two = {
  count: 2,
  updates: [
    { title: 'Feature \u202e', severity: '' },
    { title: 'Fix (KB1)', severity: 'Critical' },
  ],
};

describe('updates of Windows', () => {
  test('are counted, those for security first', async () => {
    const { read, now } = machine(two);
    now.checked = '2026-11-17 08:15:00';
    expect(await read()).toEqual({
      updates: 2,
      security_updates: 1,
      managers: [
        {
          name: 'windows-update',
          updates: 2,
          security_updates: 1,
          origins: [],
          checked_at: Date.UTC(2026, 10, 17, 8, 15) / 1000,
          packages: [
            { name: 'Fix (KB1)', current: '', candidate: '', security: true },
            { name: 'Feature ', current: '', candidate: '', security: false },
          ],
        },
      ],
      changes: null,
      reboot: { required: false, reasons: [] },
    });
  });

  test('are searched once an hour, and again when Windows has searched or a restart is pending', async () => {
    const { read, now, searches, clock } = machine(two);
    await read();
    await read();
    expect(searches()).toBe(1);
    now.keys = ['RebootRequired'];
    expect((await read())?.reboot).toEqual({ required: true, reasons: ['Windows Update waits for it'] });
    now.checked = '2026-11-17 08:15:00';
    await read();
    expect(searches()).toBe(3);
    clock.advance(60 * 60 * 1000);
    await read();
    expect(searches()).toBe(4);
  });

  test('that cannot be found are null with the reason, and are searched again after a while', async () => {
    const { read, searches, clock } = machine(new Error('IUpdateSearcher.Search failed with 0x80240438'));
    expect(await read()).toMatchObject({ updates: null, security_updates: null });
    await read();
    expect(searches()).toBe(1);
    clock.advance(5 * 60 * 1000);
    await read();
    expect(searches()).toBe(2);
  });

  test.each([
    [['RebootPending'], null, 1],
    [['RebootRequired', 'RebootPending'], null, 2],
    [[], '\\??\\C:\\a', 1],
    [[], '', 0],
  ])('with the keys %p and the renames %p have %i reasons for a restart', async (keys, renames, count) => {
    const { read, now } = machine(two);
    Object.assign(now, { keys, renames });
    expect((await read())?.reboot).toMatchObject({ required: count > 0, reasons: { length: count } });
  });

  test('are read up to a thousand, and the first 250 are shown', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => ({ title: `U${n}`, severity: '' }));
    const payload = await machine({ count: 1200, updates: many }).read();
    expect(payload?.updates).toBe(1200);
    expect(payload?.managers[0]?.packages).toHaveLength(250);
  });

  test('a pending restart is announced to subscribers', async () => {
    const { source, now, clock } = machine(two);
    let changes = 0;
    const stop = source.watch?.(() => {
      changes += 1;
    });
    const pass = async () => {
      for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(30_000);
      for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await pass();
    now.keys = ['RebootRequired'];
    await pass();
    expect(changes).toBe(1);
    stop?.();
    expect(clock.advanceToNext()).toBeFalse();
  });
});
