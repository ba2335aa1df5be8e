import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import type { Charge } from '../../host/linux/hardware/power-supply.ts';
import {
  batteryCharge,
  hasPowerSupplies,
  isSystemBattery,
  powerSuppliesLater,
} from '../../host/linux/hardware/power-supply.ts';
import { readUpower, startUpower, watchUpower } from '../../host/linux/hardware/upower.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../lib/absence.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Bus } from '../../protocols/dbus/dbus.ts';
import type { Battery } from './battery.schema.ts';

/** UPower where it runs: it waits for slow batteries in our place, and announces changes. The kernel itself elsewhere. */
export const batteryLinux: CreateSource<Battery, LinuxHost> = ({ files, dbus, clock }) => {
  const upower = rememberUpower(dbus.system, clock);
  const findSupplies = unlessAbsent(clock, () => hasPowerSupplies(files) || null);
  const ask = async (reasons: Reasons): Promise<Battery> => {
    const charge = (await upower.read()) ?? batteryCharge(await powerSuppliesLater(files));
    return charge === null ? absent(files, reasons) : toBattery(charge, reasons);
  };
  return {
    read: (reasons) => (upower.isAbsent() && findSupplies() === null ? absent(files, reasons) : ask(reasons)),
    watch(changed) {
      void powerSuppliesLater(files).then((supplies) => {
        if (supplies.some(isSystemBattery)) startUpower(dbus.system);
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
  let last: { charge: Charge | null; at: number } | null = null;
  let followers = 0;
  let news = 0;
  const holdsMs = (charge: Charge | null) => {
    if (followers > 0) return charge === null ? absentFollowedMs : followedMs;
    return charge === null ? absentMs : 0;
  };
  const holds = ({ charge, at }: { charge: Charge | null; at: number }) => clock.monotonic() - at < holdsMs(charge);
  return {
    /** It said so a moment ago. */
    isAbsent: () => last !== null && last.charge === null && holds(last),
    async read(): Promise<Charge | null> {
      if (last !== null && holds(last)) return last.charge;
      const known = news;
      const charge = await readUpower(system);
      // What was announced meanwhile may not be in it.
      last = known === news ? { charge, at: clock.monotonic() } : null;
      return charge;
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
  return { is_charging: null, percentage: null, time_remaining: null };
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
  };
}
