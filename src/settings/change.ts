import { ServiceError } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { settingAt } from './locks.ts';
import type { Protection } from './protection.ts';
import type { Settings } from './settings.schema.ts';

export interface Change {
  /** On the machine itself, without a proxy. */
  local: boolean;
  /** The owner at the command line of the machine: may change everything. */
  cli?: boolean;
  /** The patch has all of `modules`: an interval that it lacks is reset. */
  replacesModules?: boolean;
}

/** Objects merge, arrays replace, null and absent mean "unchanged". */
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
export function mayChange(key: string, settings: Settings, change: Change, protection: Protection): boolean {
  return refusalOf(key, settings, change, protection) === null;
}

/** Throws when the change touches what this caller may not change. A value that was sent unchanged is not a change. */
export function refuseProtected(before: Settings, after: Settings, change: Change, protection: Protection): void {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of [...protection.ownerOnly, ...protection.localOnly, ...sections]) {
    if (isEqual(settingAt(before, key), settingAt(after, key))) continue;
    const refusal = refusalOf(key, before, change, protection);
    if (refusal !== null) throw new ServiceError('forbidden', refusal);
  }
}

/** Why this caller may not change this key, which can also be a whole section; null: nothing prevents it. */
function refusalOf(
  key: string,
  { security }: Settings,
  { local, cli = false }: Change,
  { ownerOnly, localOnly, remotelyChangeable }: Protection,
): string | null {
  if (cli) return null;
  if (ownerOnly.includes(key))
    return `${key} can be changed only in the settings file or with "${ownCommand('settings set')}" on the machine itself`;
  if (local) return null;
  if (localOnly.includes(key)) return `${key} can be changed only on the machine itself`;
  if (security.remoteAdmin || remotelyChangeable.includes(key.split('.')[0] ?? '')) return null;
  return `${key} can be changed only on the machine itself, or after "${ownCommand('settings set security.remoteAdmin true')}" there`;
}
