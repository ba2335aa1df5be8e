import type { Files } from '../files.ts';

/**
 * Reads a file behind which a drive is asked: one at a time, whoever wants to know. A drive that sleeps or fails takes up to half a
 * minute, and holds one of the few threads meanwhile in which the runtime does everything that is not done at once.
 */
export function readFromDrive(files: Files, file: string): Promise<string | null> {
  const reading = (lanes.get(files) ?? Promise.resolve(null)).then(() => files.textLater(file));
  lanes.set(files, reading);
  return reading;
}

/** The last question of each machine. */
const lanes = new WeakMap<Files, Promise<string | null>>();
