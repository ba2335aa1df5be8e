import { ServiceError } from '../lib/errors.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { defaultSettings } from './settings.defaults.ts';
import type { Settings } from './settings.schema.ts';

/** What the administrator of the machine said for the services of all its users. */
export interface MachineSettings {
  /** What holds unless the user says otherwise. */
  defaults: Settings;
  /** What holds whatever the user says; only the keys that are locked. */
  locked: Record<string, unknown>;
  /** null: nothing is locked. */
  locks: SettingsLocks | null;
}

/** Which settings the user cannot change, and where that is said. */
export interface SettingsLocks {
  file: string;
  /** Dotted, such as mcp.mode. */
  keys: readonly string[];
}

export const noMachineSettings: MachineSettings = { defaults: defaultSettings, locked: {}, locks: null };

export const lockedBy = (key: string, file: string) =>
  `${key} is locked by ${file}, which only the administrator of this machine can change`;

/** Throws when a change touches what is locked, whoever makes it. What was sent unchanged is no change. */
export function refuseLocked(before: Settings, after: Settings, locks: SettingsLocks | null): void {
  const touched = locks?.keys.find((key) => !isEqual(settingAt(before, key), settingAt(after, key)));
  if (locks !== null && touched !== undefined) throw new ServiceError('forbidden', lockedBy(touched, locks.file));
}

export function isLocked(locks: SettingsLocks | null, key: string): boolean {
  return locks?.keys.includes(key) ?? false;
}

/** The value behind a dotted key; undefined: there is none. */
export function settingAt(settings: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      settings,
    );
}
