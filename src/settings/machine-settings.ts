import { isObject } from '../lib/values.ts';
import { parseSettingsText, withoutBadValues } from './file.ts';
import { type MachineSettings, noMachineSettings, settingAt } from './locks.ts';
import { leavesOf, unknownPaths, unknownSetting } from './unknown-keys.ts';

export interface ReadMachineSettings {
  machine: MachineSettings;
  /** Not JSON at all: what and where. */
  broken: string | null;
  /** What of it is not used, and why. */
  complaints: string[];
  /** A newer program wrote it: the sentence that says so. What it locks is not known. */
  newer: string | null;
}

/** The settings that the administrator made: defaults at the top, and what nobody else may change under "locked". */
export function readMachineSettings(text: string, file: string): ReadMachineSettings {
  const parsed = parseSettingsText(text, file);
  if ('newer' in parsed) return { ...nothing, newer: parsed.newer };
  if ('broken' in parsed) return { ...nothing, broken: parsed.broken };
  const { locked: wanted = {}, ...rest } = parsed.value;
  const defaults = withoutBadValues(rest, { text });
  const complaints = [...defaults.complaints];
  for (const unknown of unknownPaths(defaults.taken, defaults.settings)) complaints.push(unknownSetting(unknown));
  if (!isObject(wanted)) {
    complaints.push('"locked" must be an object with the values to lock, such as {"mcp": {"mode": "read_only"}}');
    return { ...nothing, machine: { ...noMachineSettings, defaults: defaults.settings }, complaints };
  }
  const checked = withoutBadValues(wanted, { text, within: ['locked'], otherwise: 'it is not locked' });
  complaints.push(...checked.complaints);
  const locked: Record<string, unknown> = {};
  const keys: string[] = [];
  // What was taken out is said already, and may leave an empty section behind.
  const wantedKeys = new Set(leavesOf(wanted));
  for (const key of leavesOf(checked.taken).filter((leaf) => wantedKeys.has(leaf))) {
    const value = settingAt(checked.settings, key);
    const given = settingAt(checked.taken, key);
    if (value === undefined) complaints.push(unknownSetting(key.split('.'), ', so it cannot be locked'));
    else if (given === null || isObject(given)) complaints.push(`locked.${key} names no value, so it locks nothing`);
    else {
      put(locked, key.split('.'), value);
      keys.push(key);
    }
  }
  const locks = keys.length === 0 ? null : { file, keys };
  return { ...nothing, machine: { defaults: defaults.settings, locked, locks }, complaints };
}

const nothing: ReadMachineSettings = { machine: noMachineSettings, broken: null, complaints: [], newer: null };

function put(target: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (name === '__proto__') return;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = isObject(target[name]) ? target[name] : {};
  target[name] = inner;
  put(inner, rest, value);
}
