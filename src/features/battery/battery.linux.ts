import type { Bus } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import type { AttachedBattery, Charge } from '../../host/linux/hardware/power-supply.ts';
import {
  attachedBatteries,
  batteryCharge,
  hasPowerSupplies,
  isSystemBattery,
  powerSuppliesLater,
} from '../../host/linux/hardware/power-supply.ts';
import { readUpower, startUpower, type UpowerBatteries, watchUpower } from '../../host/linux/hardware/upower.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../lib/absence-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Battery, BatteryDevice } from './battery.schema.ts';

/** UPower where it runs: it waits for slow batteries in our place, and announces changes. The kernel itself elsewhere. */
export const batteryLinux: CreateSource<Battery, LinuxHost> = ({ files, dbus, clock }) => {
  const upower = rememberUpower(dbus.system, clock);
  const findSupplies = unlessAbsent(clock, () => hasPowerSupplies(files) || null);
  const ask = async (reasons: Reasons): Promise<Battery> => {
    const told = await upower.read();
    const supplies = told === null || told.charge === null ? await powerSuppliesLater(files) : [];
    const charge = told?.charge ?? batteryCharge(supplies);
    const devices = toDevices(told?.attached ?? attachedBatteries(supplies), reasons);
    return { ...(charge === null ? absent(files, reasons) : toBattery(charge, reasons)), devices };
  };
  return {
    read: (reasons) => (upower.isAbsent() && findSupplies() === null ? absent(files, reasons) : ask(reasons)),
    watch(changed) {
      void powerSuppliesLater(files).then((supplies) => {
        if (supplies.some((supply) => isSystemBattery(supply) || supply.get('SCOPE') === 'Device'))
          startUpower(dbus.system);
      });
      return upower.watch(changed);
    },
  };
};

/** While its changes are followed, what it said holds; one that was missed shows after this. */
const followedMs = 10_000;
/** One that is not there may come; to those who follow that is announced, where there is a bus. */
const absentMs = 5000;
const absentFollowedMs = 30_000;

function rememberUpower(system: Bus, clock: Clock) {
  let last: { told: UpowerBatteries | null; at: number } | null = null;
  let followers = 0;
  let news = 0;
  const isNothing = (told: UpowerBatteries | null) =>
    told === null || (told.charge === null && told.attached.length === 0);
  const holdsMs = (told: UpowerBatteries | null) => {
    if (followers > 0) return isNothing(told) ? absentFollowedMs : followedMs;
    return isNothing(told) ? absentMs : 0;
  };
  const holds = ({ told, at }: { told: UpowerBatteries | null; at: number }) => clock.monotonic() - at < holdsMs(told);
  return {
    /** It said so a moment ago. */
    isAbsent: () => last !== null && isNothing(last.told) && holds(last),
    async read(): Promise<UpowerBatteries | null> {
      if (last !== null && holds(last)) return last.told;
      const known = news;
      const told = await readUpower(system);
      // What was announced meanwhile may not be in it.
      last = known === news ? { told, at: clock.monotonic() } : null;
      return told;
    },
    watch(changed: () => void): () => void {
      followers += 1;
      const stop = watchUpower(system, () => {
        news += 1;
        last = null;
        changed();
      });
      return () => {
        followers -= 1;
        stop();
      };
    },
  };
}

function absent(files: Files, reasons: Reasons): Battery {
  if (files.exists('/sys/class')) reasons.inherent(null, 'This machine has no battery');
  else
    reasons.missing(
      null,
      '/sys is not available, and UPower is not running; mount /sys, or set HOSTLER_SYS to where it is mounted',
    );
  return { is_charging: null, percentage: null, time_remaining: null, devices: [] };
}

export function toBattery({ state, percentage, seconds }: Charge, reasons: Reasons): Battery {
  const moving = state === 'charging' || state === 'discharging';
  if (state === null) reasons.inherent('is_charging', 'The battery does not report whether it is charging');
  if (percentage === null) reasons.inherent('percentage', 'The battery reports neither its level nor its energy');
  if (!moving) reasons.inherent('time_remaining', 'The battery is neither charging nor discharging');
  else if (seconds === null)
    reasons.inherent('time_remaining', 'The battery does not yet report how fast its level is changing');
  return {
    is_charging: state === null ? null : state === 'charging',
    percentage: percentage === null ? null : Math.round(Math.min(100, Math.max(0, percentage)) * 10) / 10,
    time_remaining: moving && seconds !== null ? Math.round(seconds) : null,
    devices: [],
  };
}

/** As UPower counts them. https://upower.freedesktop.org/docs/Device.html */
const kinds: Record<number, BatteryDevice['kind']> = {
  3: 'ups',
  5: 'mouse',
  6: 'keyboard',
  7: 'phone',
  8: 'phone',
  9: 'media_player',
  10: 'tablet',
  12: 'game_controller',
  13: 'pen',
  14: 'touchpad',
  17: 'headset',
  18: 'speakers',
  19: 'headphones',
  22: 'remote_control',
  25: 'camera',
  26: 'wearable',
};

function toDevices(attached: readonly AttachedBattery[], reasons: Reasons): BatteryDevice[] {
  const devices = attached.map(({ id, name, kind, percentage, level, isCharging }) => ({
    id,
    name,
    kind: kinds[kind ?? 0] ?? 'other',
    percentage: percentage === null ? null : Math.round(Math.min(100, Math.max(0, percentage))),
    level,
    is_charging: isCharging,
  }));
  const explain = (field: 'percentage' | 'level' | 'is_charging', why: string) => {
    if (devices.some((device) => device[field] === null)) reasons.inherent(`devices[].${field}`, why);
  };
  explain('percentage', 'The device says only roughly how full it is');
  explain('level', 'The device reports its percentage');
  explain('is_charging', 'The device does not say whether it is charging');
  return devices.sort((a, b) => (a.id < b.id ? -1 : 1));
}
