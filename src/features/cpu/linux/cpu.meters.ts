import type { Reasons } from '../../../core/reasons.ts';
import type { PersistentFile } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { inSlices } from '../../../lib/slices.ts';
import type { CpuIdentity } from './cpu.identity.ts';
import { createCpuPowerMeter, type PowerMeter } from './cpu.power.ts';
import { findCpuSensors } from './cpu.sensors.ts';

export interface Meters {
  power(): PowerMeter;
  /** °C */
  temperature(reasons: Reasons): number | null;
  /** Volts */
  voltage(reasons: Reasons): number | null;
  close(): void;
}

/** Drivers may be loaded late, and again; where none is known, as in a virtual machine, a search mostly finds nothing. */
const searchAgainMs = 60_000;
const rarelyMs = 600_000;

export function* createMeters(host: LinuxHost, identity: CpuIdentity): Generator<void, Meters> {
  const { clock } = host;
  let found = yield* findMeters(host, identity);
  let searchedAt = clock.monotonic();

  const searchAgain = async () => {
    if (clock.monotonic() - searchedAt < (hasKnownDrivers(identity) ? searchAgainMs : rarelyMs)) return;
    searchedAt = clock.monotonic();
    const better = await inSlices(clock, findMeters(host, identity));
    found.close();
    found = better;
  };

  return {
    power() {
      if (!found.power.hasCounters && hasKnownDrivers(identity)) void searchAgain();
      return found.power;
    },
    temperature(reasons) {
      const hottest = highest(found.temperatures);
      if (hottest !== null) return hottest / 1000;
      if (found.temperatures.length > 0)
        reasons.missing('temperature', 'The temperature sensor of the processor returns no value at the moment');
      else explainTemperature(identity, reasons);
      void searchAgain();
      return null;
    },
    voltage(reasons) {
      const volts = highest(found.voltages);
      if (volts !== null) return volts / 1000;
      reasons.inherent('voltage', 'No driver on this machine reports the core voltage');
      return null;
    },
    close: () => found.close(),
  };
}

function* findMeters(host: LinuxHost, identity: CpuIdentity) {
  const sensors = yield* findCpuSensors(host.files);
  const keep = (paths: string[]) => paths.map((path) => host.files.keep(path));
  const temperatures = keep(sensors.temperatures);
  const voltages = keep(sensors.voltages);
  const power = createCpuPowerMeter(host, sensors, hasKnownDrivers(identity));
  return {
    temperatures,
    voltages,
    power,
    close() {
      power.close();
      for (const file of [...temperatures, ...voltages]) file.close();
    },
  };
}

const knownDrivers = new Map([
  ['GenuineIntel', 'coretemp'],
  ['AuthenticAMD', 'k10temp'],
]);

const hasKnownDrivers = ({ vendor, virtual }: CpuIdentity) => !virtual && knownDrivers.has(vendor ?? '');

function explainTemperature({ vendor, virtual }: CpuIdentity, reasons: Reasons): void {
  const driver = virtual ? undefined : knownDrivers.get(vendor ?? '');
  if (driver === undefined) {
    reasons.inherent(
      'temperature',
      'No temperature sensor of the processor is visible here, which is usual in virtual machines',
    );
  } else reasons.missing('temperature', `The sensor driver is not loaded; "modprobe ${driver}" loads it`);
}

function highest(files: PersistentFile[]): number | null {
  let found: number | null = null;
  for (const file of files) {
    const value = file.number();
    if (value !== null) found = Math.max(found ?? value, value);
  }
  return found;
}
