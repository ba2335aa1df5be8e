import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { readFromDrive } from '../../../host/linux/storage/drive-queue.ts';

/** A longer read went over a slow bus, or woke the device; in the background, it includes waiting for a thread. */
const slowMs = { now: 0.5, background: 3 };
/** After this many reads it is tried synchronously again. */
const slowReads = 30;
/** A device that stopped answering has no values; reading another drive first may take up to half a minute. */
const oldestMs = 30_000;
const oldestOfDriveMs = 90_000;

/** Each read of a drive queries the device, whose temperature changes slowly. */
const driveEveryMs = 5000;

/** Values of one device, which all come from the same place. Chips answer within microseconds or seconds, which is not known before. So the first values, and those of slow devices, are read in the background; those of drives always, because they may sleep. */
export function createValues({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>, paths: string[], ofDrive = false) {
  const sensors = paths.map((path) => ({ path, file: files.keep(path), failed: false }));
  let slowFor = 1;
  let busy = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let known = { values: paths.map((): number | null => null), at: clock.monotonic() };

  const refresh = async () => {
    if (busy) return;
    busy = true;
    askedAt = clock.monotonic();
    let longest = 0;
    const values: (number | null)[] = [];
    for (const { path } of sensors) {
      const from = clock.monotonic();
      values.push(parse(await (ofDrive ? readFromDrive(files, path) : files.textLater(path))));
      longest = Math.max(longest, clock.monotonic() - from);
    }
    known = { values, at: clock.monotonic() };
    slowFor = longest < slowMs.background ? slowFor - 1 : slowReads;
    busy = false;
  };

  const readNow = () => {
    const from = clock.monotonic();
    const values = sensors.map((sensor) => {
      // Another device may have this path when it is opened again.
      if (sensor.failed) return null;
      const value = sensor.file.number();
      sensor.failed = value === null;
      return value;
    });
    const now = clock.monotonic();
    if (now - from >= slowMs.now) slowFor = slowReads;
    known = { values, at: now };
  };

  const isQuick = () => slowFor <= 0 && !ofDrive;
  const age = () => clock.monotonic() - known.at;

  return {
    /** The current values, in the order of their files; those of a slow device slightly old. null: none. */
    read(): (number | null)[] {
      if (isQuick()) readNow();
      else if (!ofDrive || clock.monotonic() - askedAt >= driveEveryMs) void refresh();
      return age() > (ofDrive ? oldestOfDriveMs : oldestMs) ? paths.map(() => null) : known.values;
    },
    /** Reads in the background. */
    refresh,
    /** Whether they are too old, cannot be read at once, and are not being read. */
    stale: () => !busy && !isQuick() && age() > oldestMs,
    /** Called when the device is confirmed to be the same: files without a value are read once more. */
    renew() {
      for (const sensor of sensors) sensor.failed = false;
    },
    close() {
      for (const { file } of sensors) file.close();
    },
  };
}

function parse(text: string | null): number | null {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isNaN(value) ? null : value;
}
