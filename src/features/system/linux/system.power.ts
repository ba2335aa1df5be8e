import { type Reasons, remembered } from '../../../core/reasons.ts';
import { chipsNamed } from '../../../host/linux/hardware/hwmon.ts';
import { batteryPower, systemBatteries } from '../../../host/linux/hardware/power-supply.ts';
import {
  type EnergyZone,
  energyZones,
  permissionFor,
  readEnergy,
  wattsBetween,
} from '../../../host/linux/hardware/powercap.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import { createPairs } from '../../../lib/sample-pair.ts';

/** Watts of the whole machine: from its power meter, from the battery that feeds it, or from the platform's energy counter. */
export function createSystemPowerMeter(host: Pick<LinuxHost, 'files' | 'clock' | 'environment'>) {
  const { files, clock, environment } = host;
  const sources = remembered(clock, searchAgainMs, () => ({
    meters: chipsNamed(files, 'power_meter'),
    zones: energyZones(files),
  }));
  const findBatteries = unlessAbsent(clock, () => {
    const found = systemBatteries(files);
    return found.length === 0 ? null : found;
  });
  let zone: EnergyZone | null = null;
  const pairs = createPairs(clock, () => (zone === null ? null : readEnergy(files, zone)));

  const measure = async (platform: EnergyZone): Promise<number | null> => {
    zone = platform;
    const { before, after, seconds } = await pairs();
    if (before === null || after === null || Number.isNaN(before) || Number.isNaN(after)) return null;
    return wattsBetween(before, after, seconds * 1000, platform.range);
  };

  const readZone = async (platform: EnergyZone, reasons: Reasons): Promise<number | null> => {
    const watts = await measure(platform);
    if (watts === null) reasons.missing('power_usage', `${platform.file} cannot be read, or does not count`);
    return watts === null ? null : rounded(watts);
  };

  return (reasons: Reasons): number | null | Promise<number | null> => {
    const { meters, zones } = sources(reasons);
    const batteries = findBatteries() ?? [];
    const direct = meterPower(files, meters) ?? dischargePower(batteries);
    if (direct !== null) return rounded(direct);
    const platform = zones.find(({ name }) => name === 'psys');
    if (platform === undefined) {
      reasons.inherent('power_usage', absence(zones, batteries));
      return null;
    }
    if (files.denied(platform.file)) {
      reasons.missing('power_usage', permissionFor(platform.file, environment.userName));
      return null;
    }
    return readZone(platform, reasons);
  };
}

/** Drivers rarely come and go; searching them costs more than reading them. */
const searchAgainMs = 5000;

/** ACPI's power meter, mostly in servers. https://docs.kernel.org/hwmon/acpi_power_meter.html */
function meterPower(files: LinuxHost['files'], meters: readonly string[]): number | null {
  for (const chip of meters) {
    for (const name of ['power1_average', 'power1_input']) {
      const microwatts = Number(files.text(`${chip}/${name}`) ?? Number.NaN);
      if (microwatts > 0) return microwatts / 1e6;
    }
  }
  return null;
}

type Uevent = Map<string, string>;

/** The discharge of the batteries is the power draw, unless another supply feeds the machine. Some report 0 at first. */
function dischargePower(batteries: Uevent[]): number | null {
  const watts = batteries
    .filter((battery) => battery.get('STATUS') === 'Discharging')
    .reduce((total, battery) => total + (batteryPower(battery) ?? 0), 0);
  return watts > 0 ? watts : null;
}

function absence(zones: EnergyZone[], batteries: Uevent[]): string {
  if (zones.some(({ name }) => name.startsWith('package'))) {
    return 'Only the processor reports its energy use here, and that is not the whole machine';
  }
  if (batteries.length > 0) return 'The machine is not running on battery, and there is no other power meter';
  return 'This machine has no power meter and no battery';
}

const rounded = (watts: number) => Math.round(watts * 1000) / 1000;
