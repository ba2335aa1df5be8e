import { describe, expect, test } from 'bun:test';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import { SYSTEM_BATTERY_STATE } from '../../host/windows/native/powrprof.structs.ts';
import { battery } from './battery.ts';
import { batteryWindows, parsePower } from './battery.windows.ts';
import { BATTERY_INFORMATION, BATTERY_STATUS } from './windows/batteries.structs.ts';
import { parseBatteries, parseBluetooth, parseControllers } from './windows/battery.devices.ts';

testEachMachine('windows', import.meta.dirname, battery.module, batteryWindows);

describe('the power status of a laptop', () => {
  const status = (values: Parameters<typeof structBytes<typeof SYSTEM_POWER_STATUS>>[1]) =>
    structBytes(SYSTEM_POWER_STATUS, { BatteryLifeTime: -1, ...values });
  const state = structBytes(SYSTEM_BATTERY_STATE, { MaxCapacity: 50_000, RemainingCapacity: 40_000, Rate: 20_000 });

  test.each([
    ['emptying', status({ BatteryFlag: 1, BatteryLifePercent: 61, BatteryLifeTime: 11_018 }), [false, 61, 11_018]],
    ['charging', status({ ACLineStatus: 1, BatteryFlag: 8, BatteryLifePercent: 80 }), [true, 80, 1800]],
    ['full', status({ ACLineStatus: 1, BatteryFlag: 1, BatteryLifePercent: 100 }), [false, 100, null]],
    ['unknown', status({ ACLineStatus: 255, BatteryFlag: 255, BatteryLifePercent: 255 }), [null, null, null]],
    ['no battery', status({ ACLineStatus: 1, BatteryFlag: 128, BatteryLifePercent: 255 }), [null, null, null]],
  ] as const)('%s', (_name, bytes, [is_charging, percentage, time_remaining]) => {
    const { reasons, collected } = collectReasons();
    const payload = parsePower(bytes, state, reasons);
    expect(payload).toEqual({ is_charging, percentage, time_remaining, devices: [] });
    expect(unexplained(payload, collected)).toEqual([]);
  });
});

describe('batteries of devices', () => {
  const node = (id: string, level: number | null, kind: number | null = null, connected: number | null = 0xff) => ({
    id,
    values: [
      level === null ? null : Uint8Array.of(level),
      null,
      connected === null ? null : Uint8Array.of(connected),
      kind === null ? null : new Uint8Array(Uint32Array.of(kind).buffer),
    ],
  });

  test.each([
    ['BTHENUM\\DEV_0011223344AA\\7&1&0&BLUETOOTHDEVICE_0011223344AA', '00:11:22:33:44:aa'],
    [
      'BTHENUM\\{0000111e-0000-1000-8000-00805f9b34fb}_LOCALMFG&0000\\7&1&0&0011223344aa_C00000000',
      '00:11:22:33:44:aa',
    ],
    ['BTHLE\\Dev_0011223344aa\\8&2&0&0011223344aa', '00:11:22:33:44:aa'],
    ['BTHLEDEVICE\\{0000180f-0000-1000-8000-00805f9b34fb}_0011223344AA\\9&3&0&0021', '00:11:22:33:44:aa'],
  ])('%s is a device with an address', (id, address) => {
    expect(parseBluetooth([node(id, 50)])).toMatchObject([{ id: `bluetooth_${address}`, name: address }]);
  });

  test('a node without an address or a valid level, or of a disconnected device, has no battery', () => {
    const id = 'BTHENUM\\DEV_0011223344AA\\7&1&0&BLUETOOTHDEVICE_0011223344AA';
    expect(parseBluetooth([node('BTHENUM\\MS_BTHPAN\\7&1', 50)])).toEqual([]);
    expect(parseBluetooth([node(id, null)])).toEqual([]);
    expect(parseBluetooth([node(id, 255)])).toEqual([]);
    expect(parseBluetooth([node(id, 50, null, 0)])).toEqual([]);
    expect(parseBluetooth([node(id, 50, null, null)])).toHaveLength(1);
  });

  test.each([
    [0x240404, 'headset'],
    [0x240408, 'headset'],
    [0x240418, 'headphones'],
    [0x240414, 'speakers'],
    [0x5a020c, 'phone'],
    [0x002540, 'keyboard'],
    [0x002580, 'mouse'],
    [0x0025c0, 'keyboard'],
    [0x002508, 'game_controller'],
    [0x00250c, 'remote_control'],
    [0x002514, 'tablet'],
    [0x00251c, 'pen'],
    [0x080620, 'camera'],
    [0x000704, 'wearable'],
    [0x02010c, 'other'],
  ])('a device of the class %p is a %s', (number, kind) => {
    expect(parseBluetooth([node('BTHLE\\DEV_0011223344AA\\8', 50, number)])).toMatchObject([{ kind }]);
  });

  test.each([
    ['a mouse with keys', ['Mouse', 'Keyboard'], 'mouse'],
    ['a keyboard with a wheel', ['Keyboard', 'Mouse', 'HIDClass'], 'keyboard'],
    ['something that neither types nor points', ['HIDClass'], 'other'],
  ])('%s of Bluetooth LE is identified by its first part', (_name, classes, kind) => {
    const id = 'HID\\{00001812-0000-1000-8000-00805f9b34fb}_DEV_VID&02046D_PID&B021_REV&0007_0011223344AA';
    const parts = classes.map((name, index) => ({
      id: `${id}&COL0${index + 1}\\9&1&0&000${index}`,
      values: [null, null, null, null, new Uint8Array(Buffer.from(`${name}\0`, 'utf16le'))],
    }));
    const main = node('BTHLE\\DEV_0011223344AA\\8&2&0&0011223344AA', 50);
    expect(parseBluetooth([main, ...parts.toReversed()])).toMatchObject([{ kind, percentage: 50 }]);
  });

  test('controllers with a cable or without a level are left out', () => {
    const batteries = [Uint8Array.of(1, 3), Uint8Array.of(2, 3), Uint8Array.of(0xff, 2), Uint8Array.of(3, 9)];
    expect(parseControllers(batteries, [])).toMatchObject([{ id: 'controller_2', level: 'full', percentage: null }]);
    expect(parseControllers([null, null, null, null], [])).toEqual([]);
  });

  test.each([
    [0, 'critical'],
    [1, 'low'],
    [2, 'normal'],
    [3, 'full'],
  ])('level %i of a controller is %s', (number, level) => {
    expect(parseControllers([Uint8Array.of(2, number)], [])).toMatchObject([{ level }]);
  });

  test('a controller that Bluetooth lists is not listed twice', () => {
    const paired = parseBluetooth([node('BTHLE\\DEV_0011223344AA\\8', 50, 0x2508)]);
    expect(parseControllers([Uint8Array.of(3, 2)], paired)).toEqual([]);
    expect(parseControllers([Uint8Array.of(3, 2), Uint8Array.of(2, 1)], paired)).toHaveLength(1);
  });

  describe('batteries with a driver', () => {
    const battery = (Capabilities: number, PowerState: number, Capacity: number, FullChargedCapacity = 200) => ({
      path: '\\\\?\\HID#VID_051D&PID_0002#6&1&0&0000#{72631e54-78a4-11d0-bcf7-00aa00b7b32a}',
      name: '',
      information: structBytes(BATTERY_INFORMATION, { Capabilities, FullChargedCapacity }),
      status: structBytes(BATTERY_STATUS, { PowerState, Capacity }),
    });
    const [system, shortTerm] = [0x80000000, 0x20000000];

    test('the battery of the machine is not listed; a UPS is, although Windows counts it as one', () => {
      expect(parseBatteries([battery(system, 2, 100)])).toEqual([]);
      expect(parseBatteries([battery(system + shortTerm, 2, 100)])).toEqual([
        {
          id: 'battery_hid#vid_051d&pid_0002#6&1&0&0000',
          name: 'UPS',
          kind: 'ups',
          percentage: 50,
          level: null,
          is_charging: false,
        },
      ]);
      expect(parseBatteries([battery(0, 4, 199)])).toMatchObject([
        { name: 'Battery', kind: 'other', percentage: 100, is_charging: true },
      ]);
    });

    test('a battery without a capacity has no percentage', () => {
      const percentages = [
        battery(shortTerm, 1, 0xffffffff),
        battery(shortTerm, 1, 5, 0xffffffff),
        battery(0, 1, 5, 0),
      ];
      expect(parseBatteries(percentages).map(({ percentage }) => percentage)).toEqual([null, null, null]);
      expect(parseBatteries([battery(shortTerm, 1, 300)])).toMatchObject([{ percentage: 100 }]);
    });

    test('truncated replies are ignored', () => {
      const whole = battery(shortTerm, 1, 5);
      expect(parseBatteries([{ ...whole, status: whole.status.subarray(0, 8) }])).toEqual([]);
      expect(parseBatteries([{ ...whole, information: new Uint8Array(4) }])).toEqual([]);
    });
  });
});
