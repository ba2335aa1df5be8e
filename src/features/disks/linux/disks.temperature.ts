import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { readFromDrive } from '../../../host/linux/storage/drive-queue.ts';
import { createHangGuard } from '../../../lib/hang-guard.ts';
import { several } from '../disks.health.ts';
import { type DiskLayout, isNvme } from './disks.layout.ts';

/** Degrees Celsius by name of the disk. */
export type Temperatures = ReadonlyMap<string, number | null>;

/** An older temperature is not reported; a slow drive may delay the others by half a minute. */
const oldestMs = 90_000;

interface Measured {
  /** null: no answer yet, or no temperature. */
  celsius: number | null;
  at: number;
  /** The last query, whether answered or not. */
  queriedAt: number;
}

/** Queries the drives one after another; one that sleeps or fails can take half a minute. */
export function createTemperatures({ files, clock }: LinuxHost) {
  const hangGuard = createHangGuard<string | null>(clock, [{ ask: (file) => readFromDrive(files, file) }]);
  const measured = new Map<string, Measured>();
  const ask = async (disk: string, file: string) => {
    const result = await hangGuard.ask(file);
    if (result.kind === 'behind') return;
    const now = clock.monotonic();
    const before = measured.get(disk) ?? { celsius: null, at: now };
    measured.set(disk, {
      ...(result.kind === 'value' ? { celsius: toCelsius(result.value), at: now } : before),
      queriedAt: now,
    });
  };
  /** The drive that was not queried for the longest time comes first, in case the time is too short for all. */
  const byWaiting = ([a]: [string, string], [b]: [string, string]) => lastQuery(a) - lastQuery(b);
  const lastQuery = (disk: string) => measured.get(disk)?.queriedAt ?? -1;
  const latest = (disk: string) => {
    const last = measured.get(disk);
    return last === undefined || clock.monotonic() - last.at > oldestMs ? null : last.celsius;
  };

  return (layout: DiskLayout, reasons: Reasons): Temperatures | Promise<Temperatures> => {
    const { sensors } = layout;
    explainMissing(layout, reasons);
    for (const disk of measured.keys()) if (!sensors.has(disk)) measured.delete(disk);
    if (sensors.size === 0) return none;
    const queries = [...sensors].sort(byWaiting).map(([disk, file]) => ask(disk, file));
    return Promise.all(queries).then(() => {
      const unknown = [...sensors.keys()].filter((disk) => latest(disk) === null);
      if (unknown.length > 0)
        reasons.missing(
          'devices[].temperature',
          `${several(unknown)} did not report a temperature; see the kernel log`,
        );
      return new Map([...sensors.keys()].map((disk) => [disk, latest(disk)]));
    });
  };
}

const none: Temperatures = new Map();

function toCelsius(thousandths: string | null): number | null {
  const text = thousandths?.trim() ?? '';
  return /^-?\d+$/.test(text) ? Number(text) / 1000 : null;
}

function explainMissing({ undriven, blocks, sensors }: DiskLayout, reasons: Reasons): void {
  const missing = (names: string[], sentence: string) => {
    if (names.length > 0) reasons.missing('devices[].temperature', `${several(names)}: ${sentence}`);
  };
  missing(
    undriven.filter((name) => !isNvme(name)),
    'the kernel module drivetemp reads the temperature of ATA drives; load it with "modprobe drivetemp"',
  );
  missing(
    undriven.filter(isNvme),
    'this kernel was built without CONFIG_NVME_HWMON, which reads the temperature of NVMe drives',
  );
  const others = blocks.disks.filter(({ name, listed }) => listed && !sensors.has(name) && !undriven.includes(name));
  if (others.length > 0) {
    const sentence = `${several(others.map(({ name }) => name))}: disks of this kind have no temperature sensor`;
    reasons.inherent('devices[].temperature', sentence);
  }
}
