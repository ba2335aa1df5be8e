import { ServiceError } from '../lib/errors.ts';
import { isEqual, isObject } from '../lib/values.ts';
import type { Settings } from './settings.schema.ts';

/** The administrator's settings for the services of all users of the machine. */
export interface MachineSettings {
  /** Values without a file of the user. Locked values are included, so that no fallback opens a lock. */
  defaults: Settings;
  /** Values that override the user's file; only the keys that are locked. */
  locked: Record<string, unknown>;
  locks: SettingsLocks | null;
}

/** The settings the user cannot change, and the file that locks them. */
export interface SettingsLocks {
  file: string;
  /** Dotted, such as mcp.mode. */
  keys: readonly string[];
}

export const noMachineSettings = (defaults: Settings): MachineSettings => ({ defaults, locked: {}, locks: null });

export const lockedBy = (key: string, file: string) =>
  `${key} is locked by ${file}, which only the administrator of this machine can change`;

/** Throws when a change touches a locked key, regardless of the caller. A value that was sent unchanged is not a change. */
export function refuseLocked(before: Settings, after: Settings, locks: SettingsLocks | null): void {
  const touched = locks?.keys.find((key) => !isEqual(settingAt(before, key), settingAt(after, key)));
  if (locks !== null && touched !== undefined) throw new ServiceError('forbidden', lockedBy(touched, locks.file));
}

export function isLocked(locks: SettingsLocks | null, key: string): boolean {
  return locks?.keys.includes(key) ?? false;
}

/** The value of a dotted key; undefined: there is none. */
export const settingAt = (settings: unknown, key: string): unknown => valueAt(settings, key.split('.'));

export const valueAt = (settings: unknown, path: readonly string[]) =>
  path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    settings,
  );

/** Whether a path leads to a value of these settings, or into one. */
export function isWithin(value: unknown, [key, ...rest]: (string | number)[]): boolean {
  if (!isObject(value)) return value !== undefined;
  return key !== undefined && Object.hasOwn(value, key) && isWithin(value[key], rest);
}
