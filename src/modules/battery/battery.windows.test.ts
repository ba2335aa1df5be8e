import { describe, expect, test } from 'bun:test';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import { SYSTEM_BATTERY_STATE } from '../../host/windows/native/powrprof.structs.ts';
import { battery } from './battery.ts';
import { batteryWindows, parsePower } from './battery.windows.ts';

testEachMachine('windows', import.meta.dirname, battery, batteryWindows);

describe('what a laptop tells', () => {
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
