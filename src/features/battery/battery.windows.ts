import type { Source } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import { SYSTEM_BATTERY_STATE } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Battery } from './battery.schema.ts';
import { createBatteryDevices } from './windows/battery.devices.ts';

export const batteryWindows = (host: WindowsHost): Source<Battery> => {
  const readDevices = createBatteryDevices(host);
  return {
    async read(reasons) {
      const { kernel32, powrprof } = await host.native();
      const own = parsePower(kernel32.powerStatus(), powrprof.battery(), reasons);
      return { ...own, devices: await readDevices(reasons) };
    },
    watch: (changed) =>
      followLater(() =>
        host.messages.follow((event) => {
          if (event === 'power' || event === 'resume') changed();
        }),
      ),
  };
};

/** A subscription that may be stopped before it has started. If it fails, the module is read at its interval. */
function followLater(follow: () => Promise<() => void>): () => void {
  const following = follow().catch(() => () => {});
  return () => void following.then((stop) => stop());
}

const absent: Battery = { is_charging: null, percentage: null, time_remaining: null, devices: [] };
const CHARGING = 8;
const NO_BATTERY = 128;
const UNKNOWN = 255;
const unknownTime = 0xffffffff;

/** A SYSTEM_POWER_STATUS, and a SYSTEM_BATTERY_STATE if available, which has the charging rate. */
export function parsePower(status: Uint8Array | null, state: Uint8Array | null, reasons: Reasons): Battery {
  if (status === null) {
    reasons.missing(null, 'GetSystemPowerStatus failed');
    return absent;
  }
  const { BatteryFlag, BatteryLifePercent, BatteryLifeTime, ACLineStatus } = readStruct(SYSTEM_POWER_STATUS, status);
  const details = state === null ? null : readStruct(SYSTEM_BATTERY_STATE, state);
  if (BatteryFlag !== UNKNOWN && (BatteryFlag & NO_BATTERY) !== 0) {
    reasons.inherent(null, 'This machine has no battery');
    return absent;
  }
  const is_charging = BatteryFlag === UNKNOWN ? null : (BatteryFlag & CHARGING) !== 0;
  const percentage = BatteryLifePercent > 100 ? null : BatteryLifePercent;
  if (is_charging === null) reasons.inherent('is_charging', 'The battery does not report whether it is charging');
  if (percentage === null) reasons.inherent('percentage', 'The battery does not report its level');
  const emptying = ACLineStatus === 0 && BatteryLifeTime !== unknownTime ? BatteryLifeTime : null;
  const time_remaining = is_charging === true ? secondsToFull(details) : emptying;
  if (time_remaining === null)
    reasons.inherent(
      'time_remaining',
      is_charging !== true && ACLineStatus === 1
        ? 'The battery is neither charging nor discharging'
        : 'The battery does not yet report how fast its level is changing',
    );
  return { is_charging, percentage, time_remaining, devices: [] };
}

function secondsToFull(state: { MaxCapacity: number; RemainingCapacity: number; Rate: number } | null): number | null {
  if (state === null || state.Rate <= 0 || state.MaxCapacity < state.RemainingCapacity) return null;
  return Math.round((3600 * (state.MaxCapacity - state.RemainingCapacity)) / state.Rate);
}
