import type { Bus } from '@hostler/dbus/dbus.ts';
import { type BusValues, busValues, namedPlace } from '../../../host/linux/dbus/bus-properties.ts';
import { type Fact, inherently, mendably } from '../../../host/linux/desktop/found-value.ts';
import type { Files } from '../../../host/linux/files.ts';
import {
  hasPowerSupplies,
  isSystemBattery,
  isUnplugged,
  powerSuppliesLater,
} from '../../../host/linux/hardware/power-supply.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import type { Clock } from '../../../lib/clock.ts';

interface MachinePower {
  onBattery: Fact<boolean>;
  lidClosed: Fact<boolean>;
}

const upower = namedPlace('org.freedesktop.UPower');
const lids = '/proc/acpi/button/lid';

/** From UPower, which announces changes, where it runs; else from the kernel. https://upower.freedesktop.org/docs/UPower.html */
export function machinePower(
  system: Bus,
  files: Files,
  clock: Pick<Clock, 'monotonic'>,
): Pick<BusValues, 'watch'> & { read(): Promise<MachinePower> } {
  const values = busValues(system, upower, { names: ['OnBattery', 'LidIsClosed', 'LidIsPresent'] });
  const suppliesByKernel = unlessAbsent(clock, () => (hasPowerSupplies(files) ? powerSuppliesLater(files) : null));
  const lidsByKernel = unlessAbsent(clock, () => readLids(files));
  return {
    watch: values.watch,
    async read() {
      const known = await values.read();
      const onBattery = known?.get('OnBattery');
      return {
        onBattery:
          typeof onBattery === 'boolean' ? { value: onBattery } : await onBatteryByKernel(files, suppliesByKernel()),
        lidClosed:
          known?.get('LidIsPresent') === true
            ? { value: known.get('LidIsClosed') === true }
            : lidByKernel(lidsByKernel()),
      };
    },
  };
}

async function onBatteryByKernel(
  files: Files,
  found: ReturnType<typeof powerSuppliesLater> | null,
): Promise<Fact<boolean>> {
  if (!files.exists('/sys/class')) return mendably('/sys is not available, and UPower is not running; mount /sys');
  const supplies = (await found) ?? [];
  const batteries = supplies.filter((supply) => isSystemBattery(supply) && supply.get('PRESENT') !== '0');
  if (batteries.length === 0) return { value: false };
  return { value: isUnplugged(supplies) || batteries.some((battery) => battery.get('STATUS') === 'Discharging') };
}

/** Their states; null: there is none. */
function readLids(files: Files): string[] | null {
  const texts = files.list(lids).flatMap((name) => files.text(`${lids}/${name}/state`) ?? []);
  return texts.length === 0 ? null : texts;
}

function lidByKernel(texts: string[] | null): Fact<boolean> {
  if (texts === null) return inherently('This machine has no lid, or its firmware does not report it');
  return { value: texts.every((text) => text.includes('closed')) };
}
