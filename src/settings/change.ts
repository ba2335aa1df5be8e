import { ServiceError } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { localOnly, ownerOnly, remotelyChangeable } from './protected.schema.ts';
import type { Settings } from './settings.schema.ts';

/** Who changes settings. */
export interface Change {
  /** On the machine itself, with no proxy between. */
  local: boolean;
  /** The owner at the command line of the machine: may change everything. */
  cli?: boolean;
}

/** Objects merge, arrays replace, null and absent mean "as it is". */
export function mergeSettings(current: unknown, patch: unknown): unknown {
  if (patch === undefined || patch === null) return current;
  if (!isObject(current) || !isObject(patch)) return patch;
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (key !== '__proto__') merged[key] = mergeSettings(Object.hasOwn(current, key) ? current[key] : undefined, value);
  }
  return merged;
}

/** Whether this caller may change the setting with this dotted key, locks aside. */
export function mayChange(key: string, { security }: Settings, { local, cli = false }: Change): boolean {
  if (cli) return true;
  if (ownerOnly.some((path) => path.join('.') === key)) return false;
  return local || security.remoteAdmin || remotelyChangeable.includes(key.split('.')[0] ?? '');
}

/** Throws when the change touches what this caller may not touch. What was sent unchanged is no change. */
export function refuseProtected(before: Settings, after: Settings, { local, cli = false }: Change): void {
  if (cli) return;
  for (const path of ownerOnly) {
    if (isEqual(at(before, path), at(after, path))) continue;
    throw new ServiceError(
      'forbidden',
      `${path.join('.')} can be changed only in the settings file or with "${ownCommand('settings set')}" on the machine itself`,
    );
  }
  if (local) return;
  for (const path of localOnly) {
    if (isEqual(at(before, path), at(after, path))) continue;
    throw new ServiceError('forbidden', `${path.join('.')} can be changed only on the machine itself`);
  }
  if (before.security.remoteAdmin) return;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (remotelyChangeable.includes(key) || isEqual(at(before, [key]), at(after, [key]))) continue;
    throw new ServiceError(
      'forbidden',
      `${key} can be changed only on the machine itself, or after "${ownCommand('settings set security.remoteAdmin true')}" there`,
    );
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
