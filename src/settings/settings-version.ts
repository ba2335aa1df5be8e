import { checkFileVersion, takeSteps, versionAfter } from '../lib/file-version.ts';

/** Settings as they stand in a file, unchecked. */
type Given = Record<string, unknown>;

/** The first leads from version 1, that of 6.0.0, to 2. A key that is added or gets more values needs none. */
const settingsSteps: readonly ((settings: Given) => Given)[] = [];

export const settingsVersion = versionAfter(settingsSteps);

export const versionKey = 'version';

/** Settings as this version has them. Throws a NewerFile where a newer one has written them. */
export function migrateSettings(given: Given, file: string, steps = settingsSteps): { value: Given; isOlder: boolean } {
  const version = checkFileVersion(file, given[versionKey], versionAfter(steps), 'move the file away');
  return { value: takeSteps(given, version, steps), isOlder: version < versionAfter(steps) };
}
