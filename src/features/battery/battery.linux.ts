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

/** From UPower where it runs, since it handles slow batteries and announces changes; else from the kernel. */
export const batteryLinux: CreateSource<Battery, LinuxHost> = ({ files, dbus, clock }) => {
  const upower = cachedUpower(dbus.system, clock);
  const findSupplies = unlessAbsent(clock, () => hasPowerSupplies(files) || null);
  const ask = async (reasons: Reasons): Promise<Battery> => {
    const known = await upower.read();
    const supplies = known === null || known.charge === null ? await powerSuppliesLater(files) : [];
    const charge = known?.charge ?? batteryCharge(supplies);
    const devices = toDevices(known?.attached ?? attachedBatteries(supplies), reasons);
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

/** How long an answer is cached while changes are followed; bounds the effect of a missed one. */
const followedMs = 10_000;
/** How long the absence of UPower is cached; its start is announced to listeners on the bus. */
const absentMs = 5000;
const absentFollowedMs = 30_000;

function cachedUpower(system: Bus, clock: Clock) {
  let last: { known: UpowerBatteries | null; at: number } | null = null;
  let followers = 0;
  let news = 0;
  const isNothing = (known: UpowerBatteries | null) =>
    known === null || (known.charge === null && known.attached.length === 0);
  const holdsMs = (known: UpowerBatteries | null) => {
    if (followers > 0) return isNothing(known) ? absentFollowedMs : followedMs;
    return isNothing(known) ? absentMs : 0;
  };
  const holds = ({ known, at }: { known: UpowerBatteries | null; at: number }) =>
    clock.monotonic() - at < holdsMs(known);
  return {
    /** From the cached answer. */
    isAbsent: () => last !== null && isNothing(last.known) && holds(last),
    async read(): Promise<UpowerBatteries | null> {
      if (last !== null && holds(last)) return last.known;
      const before = news;
      const known = await readUpower(system);
      // Changes announced meanwhile may be missing in it.
      last = before === news ? { known, at: clock.monotonic() } : null;
      return known;
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

/** Types of UPower. https://upower.freedesktop.org/docs/Device.html */
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
  explain('percentage', 'The device reports a rough level only');
  explain('level', 'The device reports its percentage');
  explain('is_charging', 'The device does not report whether it is charging');
  return devices.sort((a, b) => (a.id < b.id ? -1 : 1));
}
