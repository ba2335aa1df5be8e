import type { HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { isOfDrive } from '../../../host/linux/storage/drive-temperatures.ts';
import { atOnce } from '../../../lib/slices.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import { withUniqueKeys } from '../sensors.keys.ts';
import { findChips } from './sensors.hwmon.ts';

/** Chips come and go rarely. */
const searchEvery = 40;

/** Chips that answer from memory. Drives would wake up, and USB controllers are slow. */
export function sensorsHistoryLinux(host: LinuxHost): HistorySampler {
  let chips = new Map<string, SensorDevice>();
  let samples = 0;

  const search = () => {
    const found = atOnce(findChips(host, chips));
    for (const [directory, chip] of chips) if (found.get(directory) !== chip) chip.close();
    chips = found;
  };

  return {
    sample(moment) {
      if (samples++ % searchEvery === 0) search();
      const awake = [...chips.values()].filter((chip) => !isOfDrive(chip.name) && !chip.asleep());
      for (const { key, temperature } of withUniqueKeys(awake.flatMap((chip) => chip.read().temperatures)))
        moment.value('temperature', temperature, key);
    },
    close() {
      for (const chip of chips.values()) chip.close();
    },
  };
}
