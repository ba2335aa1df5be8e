import type { HistorySampler } from '../../core/readings/history.ts';
import {
  batteryCharge,
  batteryPower,
  hasPowerSupplies,
  isSystemBattery,
  powerSuppliesLater,
} from '../../host/linux/hardware/power-supply.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';

/** A first battery or charger is added rarely. */
const checkEvery = 40;

/** From the kernel only: a connection to UPower would wake the process every second. */
export function batteryHistoryLinux({ files }: LinuxHost): HistorySampler {
  let samples = 0;
  let isPresent = false;
  return {
    sample(moment) {
      if (samples++ % checkEvery === 0) isPresent = hasPowerSupplies(files);
      if (!isPresent) return;
      return powerSuppliesLater(files).then((supplies) => {
        const charge = batteryCharge(supplies);
        if (charge === null) return;
        if (charge.state === 'discharging') moment.onBattery();
        moment.value('battery', charge.percentage);
        const powers = supplies.filter(isSystemBattery).map(batteryPower);
        const known = powers.filter((power) => power !== null);
        if (known.length > 0)
          moment.value(
            'battery.power',
            known.reduce((sum, power) => sum + power, 0),
          );
      });
    },
  };
}
