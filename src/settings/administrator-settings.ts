import { issueText } from '../core/json/schema-issues.ts';
import { isObject } from '../lib/values.ts';
import { mergeSettings } from './change.ts';
import { at, nested, parseSettingsText, removeSetting, type SettingsForm, withoutBadValues } from './file.ts';
import { isWithin, type MachineSettings, noMachineSettings, settingAt } from './locks.ts';
import type { Settings } from './settings.schema.ts';
import { leavesOf, unknownPaths, unknownSetting } from './unknown-keys.ts';

export interface ReadMachineSettings {
  machine: MachineSettings;
  /** Why the locks of the file cannot be applied, with its name; null: they apply. */
  unusable: string | null;
  /** Values that are not used, and why. */
  complaints: string[];
}

type Given = Record<string, unknown>;

/** The administrator's settings: defaults at the top, and under "locked" what users cannot change. */
export function readMachineSettings(form: SettingsForm, text: string, file: string): ReadMachineSettings {
  const none = noMachineSettings(form.defaults);
  const unusable = (sentence: string): ReadMachineSettings => ({ machine: none, unusable: sentence, complaints: [] });
  const parsed = parseSettingsText(text, file);
  if ('newer' in parsed) return unusable(parsed.newer);
  if ('broken' in parsed) return unusable(`${file} is broken: ${parsed.broken}`);
  const { locked: wanted = {}, ...rest } = parsed.value;
  if (!isObject(wanted))
    return unusable(
      `${file}: "locked" must be an object with the values to lock, such as {"mcp": {"mode": "read_only"}}`,
    );
  const empty = leavesOf(wanted).find((key) => settingAt(wanted, key) === null);
  if (empty !== undefined) return unusable(`${file}: locked.${empty} must have a value`);
  const defaults = withoutBadValues(form.schema, rest, { text, machine: none });
  const complaints = [...defaults.complaints];
  for (const unknown of unknownPaths(defaults.taken, defaults.settings))
    complaints.push(unknownSetting(unknown, form.defaults));
  const settled = withLocks(form, defaults.taken, wanted, text);
  if ('problem' in settled) return unusable(`${file}: ${settled.problem}`);
  complaints.push(...settled.complaints);
  const { settings } = settled;
  let locked: unknown = {};
  const keys: string[] = [];
  for (const key of leavesOf(wanted)) {
    const value = settingAt(settings, key);
    // A newer version may have it. Here it controls nothing, so nothing is left open.
    if (value === undefined) complaints.push(unknownSetting(key.split('.'), form.defaults, ', so it cannot be locked'));
    else if (isObject(settingAt(wanted, key))) complaints.push(`locked.${key} names no value, so it locks nothing`);
    else {
      locked = mergeSettings(locked, nested(key.split('.'), value));
      keys.push(key);
    }
  }
  const locks = keys.length === 0 ? null : { file, keys };
  return { machine: { defaults: settings, locked: isObject(locked) ? locked : {}, locks }, unusable: null, complaints };
}

/** The settings with all locks applied. A default that is invalid beside a lock is dropped; a lock never is. */
function withLocks(
  form: SettingsForm,
  defaults: Given,
  wanted: Given,
  text: string,
): { settings: Settings; complaints: string[] } | { problem: string } {
  const complaints: string[] = [];
  const taken = structuredClone(defaults);
  for (;;) {
    const base = mergeSettings(form.defaults, taken);
    const result = form.schema.safeParse(mergeSettings(base, wanted));
    if (result.success) return { settings: result.data, complaints };
    // One at a time: a list that is dropped takes its other issues with it.
    const [issue] = result.error.issues;
    const path = issue?.path.filter((key) => typeof key !== 'symbol') ?? [];
    const inLock = ['locked', ...path];
    const problem = issue === undefined ? 'is not valid' : issueText(issue);
    if (isWithin(wanted, path) || !removeSetting(taken, path))
      return { problem: `${inLock.join('.')}${at(text, inLock)} ${problem}` };
    const locks = contradictedBy(form, base, wanted, path).map((key) => `locked.${key}`);
    complaints.push(
      `the default ${path.join('.')}${at(text, path)} is not used because it contradicts ${locks.join(', ')}: ${problem}`,
    );
  }
}

/** The locks each of which makes the value at `path` invalid; those of its section if only their combination does. */
function contradictedBy({ schema }: SettingsForm, base: unknown, wanted: Given, path: (string | number)[]): string[] {
  const keys = leavesOf(wanted).filter((key) => key.split('.')[0] === path[0]);
  const alone = keys.filter(
    (key) => !schema.safeParse(mergeSettings(base, nested(key.split('.'), settingAt(wanted, key)))).success,
  );
  return alone.length > 0 ? alone : keys;
}
