import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { readFromDrive } from '../../../host/linux/storage/drive-queue.ts';

/** Values of one device, which all come from the same place. */
export interface SensorValues {
  /** As they are now, in the order of their files; those of a slow device as they were a little ago. null: it gives none. */
  read(): (number | null)[];
  /** Asks in the background. */
  refresh(): Promise<void>;
  /** They are too old, and will not be read at once; nor are they being asked for. */
  stale(): boolean;
  /** It is certain again that this is the same device: what gave no value is asked once more. */
  renew(): void;
  close(): void;
}

/** Beyond this, the device was asked over a slow bus, or slept; in the background, waiting for a thread is part of it. */
const slowMs = { now: 0.5, background: 3 };
/** So many reads later it gets another chance. */
const slowReads = 30;
/** What does not answer any more has no values; before a drive another one may have its turn, which takes up to half a minute. */
const oldestMs = 30_000;
const oldestOfDriveMs = 90_000;

/** Drives are asked themselves, each time, and do not become warm within this. */
const driveEveryMs = 5000;

/**
 * Chips answer within microseconds or within seconds, and nobody knows before. So the first values are read in the
 * background, and so are those of whoever was slow the last time; those of drives always, for they may sleep the next time.
 */
export function createValues(
  { files, clock }: Pick<LinuxHost, 'files' | 'clock'>,
  paths: string[],
  ofDrive = false,
): SensorValues {
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
      // Another device may be there when it is opened again.
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
    read() {
      if (isQuick()) readNow();
      else if (!ofDrive || clock.monotonic() - askedAt >= driveEveryMs) void refresh();
      return age() > (ofDrive ? oldestOfDriveMs : oldestMs) ? paths.map(() => null) : known.values;
    },
    refresh,
    stale: () => !busy && !isQuick() && age() > oldestMs,
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
