import { ServiceError } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { settingAt } from './locks.ts';
import type { Protection } from './protection.ts';
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
export function mayChange(
  key: string,
  { security }: Settings,
  { local, cli = false }: Change,
  { ownerOnly, remotelyChangeable }: Protection,
): boolean {
  if (cli) return true;
  if (ownerOnly.includes(key)) return false;
  return local || security.remoteAdmin || remotelyChangeable.includes(key.split('.')[0] ?? '');
}

/** Throws when the change touches what this caller may not touch. What was sent unchanged is no change. */
export function refuseProtected(
  before: Settings,
  after: Settings,
  { local, cli = false }: Change,
  { ownerOnly, localOnly, remotelyChangeable }: Protection,
): void {
  if (cli) return;
  const isKept = (key: string) => isEqual(settingAt(before, key), settingAt(after, key));
  for (const key of ownerOnly) {
    if (isKept(key)) continue;
    throw new ServiceError(
      'forbidden',
      `${key} can be changed only in the settings file or with "${ownCommand('settings set')}" on the machine itself`,
    );
  }
  if (local) return;
  for (const key of localOnly) {
    if (isKept(key)) continue;
    throw new ServiceError('forbidden', `${key} can be changed only on the machine itself`);
  }
  if (before.security.remoteAdmin) return;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (remotelyChangeable.includes(key) || isKept(key)) continue;
    throw new ServiceError(
      'forbidden',
      `${key} can be changed only on the machine itself, or after "${ownCommand('settings set security.remoteAdmin true')}" there`,
    );
  }
}
