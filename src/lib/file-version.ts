/** A file that the program cannot start without and that only a person can fix. A restart does not help. */
export class UnusableFile extends Error {
  override readonly name: string = 'UnusableFile';
}

/** A file that a newer version of this program wrote. It is left unchanged. */
export class NewerFile extends UnusableFile {
  override readonly name = 'NewerFile';
}

/** Files without a version were written by 6.0.0. */
const firstVersion = 1;

/**
 * The version of a file. Throws where this program cannot interpret the file, which includes invalid versions: a
 * guess could open what was locked. `instead` says what else can be done, as the end of a sentence.
 */
export function checkFileVersion(file: string, given: unknown, newest: number, instead: string): number {
  const version = given === undefined ? firstVersion : given;
  if (typeof version === 'number' && Number.isInteger(version) && version >= firstVersion && version <= newest)
    return version;
  const shown = JSON.stringify(version)?.slice(0, 40);
  throw new NewerFile(
    `${file} has version ${shown}, but this Hostler only knows versions up to ${newest}: a newer Hostler wrote it. It was left unchanged. Install the newer Hostler again, or ${instead}`,
  );
}

/** Brings something from the version it has to the newest one: the first step leads from version 1 to 2, and so on. */
export function takeSteps<T>(value: T, version: number, steps: readonly ((value: T) => T)[]): T {
  return steps.slice(version - firstVersion).reduce((current, step) => step(current), value);
}

export const versionAfter = (steps: readonly unknown[]) => firstVersion + steps.length;
