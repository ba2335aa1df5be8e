import type { Files } from '../files.ts';

/** What is asked of the drives of a machine. */
interface Lane {
  /** Settles with the last question. */
  end: Promise<unknown>;
  /** Questions that are not answered yet, by their files. */
  open: Map<string, Promise<string | null>>;
}

/**
 * Reads a file behind which a drive is asked: one at a time, whoever wants to know, and the same one once for all. A drive that sleeps
 * or fails takes up to half a minute, and holds one of the few threads meanwhile in which the runtime does everything that is not done
 * at once.
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
