import type { CreateSource, Reasons } from '../../core/module.ts';
import type { Files } from '../../host/files.ts';
import type { Charge } from '../../host/linux/charge.ts';
import { batteryCharge, isSystemBattery, powerSuppliesLater } from '../../host/linux/power-supply.ts';
import { readUpower, startUpower, watchUpower } from '../../host/linux/upower.ts';
import type { Battery } from './battery.schema.ts';

/** UPower where it runs: it waits for slow batteries in our place, and announces changes. The kernel itself elsewhere. */
export const batteryLinux: CreateSource<Battery> = ({ files, dbus }) => ({
  async read(reasons) {
    const charge = (await readUpower(dbus.system)) ?? batteryCharge(await powerSuppliesLater(files));
    return charge === null ? absent(files, reasons) : toBattery(charge, reasons);
  },
  watch(changed) {
    void powerSuppliesLater(files).then((supplies) => {
      if (supplies.some(isSystemBattery)) startUpower(dbus.system);
    });
    return watchUpower(dbus.system, changed);
  },
});

function absent(files: Files, reasons: Reasons): Battery {
  if (files.exists('/sys/class')) reasons.inherent(null, 'This machine has no battery');
  else reasons.missing(null, '/sys is not there, and UPower does not run; mount /sys, or point HOSTLER_SYS to it');
  return { is_charging: null, percentage: null, time_remaining: null };
}

export function toBattery({ state, percentage, seconds }: Charge, reasons: Reasons): Battery {
  const moving = state === 'charging' || state === 'discharging';
  if (state === null) reasons.inherent('is_charging', 'The battery does not say whether it charges');
  if (percentage === null) reasons.inherent('percentage', 'The battery says neither its level nor its energy');
  if (!moving) reasons.inherent('time_remaining', 'The battery neither charges nor empties now');
  else if (seconds === null)
    reasons.inherent('time_remaining', 'The battery does not say yet how fast its level changes');
  return {
    is_charging: state === null ? null : state === 'charging',
    percentage: percentage === null ? null : Math.round(Math.min(100, Math.max(0, percentage)) * 10) / 10,
    time_remaining: moving && seconds !== null ? Math.round(seconds) : null,
  };
}
