import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../../test/harness/struct-bytes.ts';
import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { CM_POWER_DATA } from '../../../host/windows/native/devices.structs.ts';
import { guidBytes } from '../../../host/windows/native/guid.ts';
import { MIB_IF_ROW2 } from '../../../host/windows/native/iphlpapi.structs.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { interfaceRows } from './networks.interfaces.ts';
import { createWindowsWake, parseAbility, toWake } from './networks.wake.ts';

const settings = { device: null, magic: true, pattern: true, capabilities: 0 };
const [both, none] = [['magic', 'filter'], []];

describe('settings of a card', () => {
  test.each([
    ['as drivers come', {}, true, both, both],
    ['magic packets alone, by the driver', { pattern: false }, true, both, ['magic']],
    ['magic packets alone, by the user', { capabilities: 0x100 }, true, both, ['magic']],
    ['patterns alone, by the user', { capabilities: 0x80 }, true, both, ['filter']],
    ['all off in the driver', { magic: false, pattern: false }, false, both, none],
    ['no waking, by the user', { capabilities: 0x110 }, false, both, none],
    ['no power management, by the user (24)', { capabilities: 24 }, false, both, none],
    ['a driver with magic packets alone', { pattern: null }, true, ['magic'], ['magic']],
  ] as const)('%s', (_name, given, wakes, supported, active) => {
    expect(toWake({ ...settings, ...given })).toEqual({
      wake_on_lan: wakes,
      wake_modes: { supported: [...supported], active: [...active] } as never,
    });
  });

  test('a driver without these settings gives only what the user has forbidden', () => {
    const unsaid = { ...settings, magic: null, pattern: null };
    expect(toWake(unsaid)).toEqual({ wake_on_lan: null, wake_modes: null });
    expect(toWake({ ...unsaid, capabilities: 0x10 })).toEqual({ wake_on_lan: false, wake_modes: null });
  });

  test.each([
    [0, false],
    // PowerSystemWorking: it does not wake the machine from sleep. PowerSystemSleeping3, PowerSystemShutdown.
    [1, true],
    [4, true],
    [6, true],
  ])('a device whose deepest sleep to wake from is %i', (PD_DeepestSystemWake, canWake) => {
    expect(parseAbility(structBytes(CM_POWER_DATA, { PD_DeepestSystemWake }))).toBe(canWake);
  });

  test('a device that does not report it', () => {
    expect([parseAbility(null), parseAbility(new Uint8Array(20))]).toEqual([null, null]);
  });
});

describe('cards of a machine', () => {
  const classKey = 'SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e972-e325-11ce-bfc1-08002be10318}';
  const guids = ['00000000-0000-4000-8000-00000000000', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee'] as const;
  const row = (index: number, guid: string, flags: number) =>
    structBytes(MIB_IF_ROW2, {
      InterfaceIndex: index,
      InterfaceGuid: guidBytes(guid),
      InterfaceAndOperStatusFlags: Uint8Array.of(flags),
    });
  /** A software interface, two cards, a filter before the second, and a card without a driver. */
  const rows = joined(
    row(1, `${guids[0]}1`, 0),
    row(2, `${guids[0]}2`, 5),
    row(3, `${guids[1]}3`, 1),
    row(4, `${guids[1]}3`, 3),
    row(5, `${guids[0]}5`, 5),
  );

  function machine(power: Record<string, number> = {}) {
    const values: Record<string, Record<string, string | number>> = {
      '0000': { NetCfgInstanceId: `{${guids[0]}9}`, '*WakeOnMagicPacket': '1' },
      '0001': {
        NetCfgInstanceId: `{${guids[0]}2}`,
        DeviceInstanceID: 'PCI\\VEN_8086&DEV_15B8\\3&11583659&0&FE',
        '*WakeOnMagicPacket': '1',
        '*WakeOnPattern': '0',
        PnPCapabilities: 0,
      },
      '0002': { NetCfgInstanceId: `{${guids[1].toUpperCase()}3}`, DeviceInstanceID: 'USB\\VID_0BDA&PID_8153\\1' },
      '0002\\Ndi\\params\\*WakeOnMagicPacket': { default: '1' },
    };
    const state = { registry: 0, devices: [] as string[], now: values };
    const advapi32 = {
      keys: () => {
        state.registry += 1;
        return [...Object.keys(values).filter((name) => !name.includes('\\')), 'Properties', 'Configuration'];
      },
      value: (_root: string, key: string, name: string) => values[key.slice(classKey.length + 1)]?.[name] ?? null,
    } as unknown as Advapi32;
    const devices = {
      async properties(id: string) {
        state.devices.push(id);
        const deepest = power[id];
        return deepest === undefined ? null : [structBytes(CM_POWER_DATA, { PD_DeepestSystemWake: deepest })];
      },
    };
    const clock = fakeClock();
    const nativeElsewhere = (() => devices) as unknown as WindowsHost['nativeElsewhere'];
    const wake = createWindowsWake({ nativeElsewhere, clock });
    const read = async (given: Uint8Array | null = rows) => {
      const { reasons, collected } = collectReasons();
      return {
        wakes: await wake(interfaceRows(given), advapi32, reasons),
        fields: collected.map(({ field }) => field),
      };
    };
    return { clock, state, read };
  }

  test('only hardware can wake the machine, each card with the settings of its driver', async () => {
    const { read } = machine({ 'PCI\\VEN_8086&DEV_15B8\\3&11583659&0&FE': 5 });
    const { wakes, fields } = await read();
    expect([...wakes]).toEqual([
      [2, { wake_on_lan: true, wake_modes: { supported: ['magic', 'filter'], active: ['magic'] } }],
      [3, { wake_on_lan: true, wake_modes: { supported: ['magic'], active: ['magic'] } }],
      [5, { wake_on_lan: null, wake_modes: null }],
    ]);
    expect(fields).toEqual(['networks[].wake_on_lan', 'networks[].wake_modes']);
  });

  test('a card that cannot wake this machine from any sleep does not, whatever its settings', async () => {
    const { read } = machine({ 'USB\\VID_0BDA&PID_8153\\1': 0 });
    const { wakes } = await read();
    expect(wakes.get(3)).toEqual({ wake_on_lan: null, wake_modes: null });
    expect(wakes.get(2)?.wake_on_lan).toBe(true);
  });

  test('settings are read once a minute, devices every ten minutes', async () => {
    const { clock, state, read } = machine({});
    await read();
    Object.assign(state.now['0001'] ?? {}, { '*WakeOnMagicPacket': '0' });
    clock.advance(59_000);
    expect((await read()).wakes.get(2)?.wake_on_lan).toBe(true);
    clock.advance(1000);
    expect((await read()).wakes.get(2)?.wake_on_lan).toBe(false);
    expect([state.registry, state.devices.length]).toEqual([2, 2]);
    clock.advance(600_000);
    await read();
    expect(state.devices).toHaveLength(4);
  });

  test('without a card nothing is read', async () => {
    const { state, read } = machine({});
    expect((await read(null)).wakes.size).toBe(0);
    expect((await read(row(1, `${guids[0]}1`, 0))).wakes.size).toBe(0);
    expect([state.registry, state.devices]).toEqual([0, []]);
  });
});
