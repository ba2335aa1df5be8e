import type { Files } from '../files.ts';

/** The reads from the drives of a machine. */
interface Lane {
  /** Settles with the last read. */
  end: Promise<unknown>;
  /** Pending reads by file. */
  open: Map<string, Promise<string | null>>;
}

/**
 * Reads a file whose content comes from a drive: one at a time, and shared by all callers. A drive that sleeps
 * or fails takes up to half a minute, and occupies one of the runtime's few threads for asynchronous
 * work.
 */
export function readFromDrive(files: Files, file: string): Promise<string | null> {
  const lane = lanes.get(files) ?? { end: Promise.resolve(), open: new Map() };
  lanes.set(files, lane);
  const asked = lane.open.get(file);
  if (asked !== undefined) return asked;
  const reading = lane.end.then(() => files.textLater(file)).finally(() => lane.open.delete(file));
  lane.open.set(file, reading);
  lane.end = reading;
  return reading;
}

const lanes = new WeakMap<Files, Lane>();
