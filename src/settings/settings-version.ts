import { checkFileVersion, takeSteps, versionAfter } from '../lib/file-version.ts';

/** Settings as in a file, unchecked. */
type Given = Record<string, unknown>;

/** The first migrates version 1, that of 6.0.0, to 2. A new key or a new value of a key needs none. */
const settingsSteps: readonly ((settings: Given) => Given)[] = [];

export const settingsVersion = versionAfter(settingsSteps);

export const versionKey = 'version';

/** Migrates settings to this version. Throws a NewerFile if a newer version has written them. */
export function migrateSettings(given: Given, file: string, steps = settingsSteps): { value: Given; isOlder: boolean } {
  const version = checkFileVersion(file, given[versionKey], versionAfter(steps), 'move the file away');
  return { value: takeSteps(given, version, steps), isOlder: version < versionAfter(steps) };
}
