import path from 'node:path';
import type { Exposure } from '../storage.ts';
import type { LinuxEnvironment } from './linux-environment.ts';
import { exposureOf } from './storage/exposure.ts';

/** Without XDG_RUNTIME_DIR the number of the user tells where it is. */
export type RuntimeVariables = Pick<LinuxEnvironment, 'variable'> & Partial<Pick<LinuxEnvironment, 'uid'>>;

/**
 * The directory with the sockets of the user's session: that of XDG_RUNTIME_DIR, else the customary one. One that another user owns or may write to is
 * not used: after `su` the variable still names that of the user before, and a directory below /tmp may have been made by anyone.
 */
export function runtimeDirectory(variables: RuntimeVariables, exposure = exposureOf): string | null {
  return candidates(variables).find((directory) => exposure(directory) === null) ?? null;
}

/** Why the directory that XDG_RUNTIME_DIR names is not used; null: it is, or the variable is not set. */
export function runtimeRefusal({ variable }: Pick<RuntimeVariables, 'variable'>, exposure = exposureOf): string | null {
  const [named] = candidates({ variable });
  const problem: Exposure | null = named === undefined ? null : exposure(named);
  return problem === null ? null : `the runtime directory ${named} (XDG_RUNTIME_DIR) is not used: ${problem.problem}`;
}

/** A service of the system is not told where it is, but every system with logind or elogind has it in /run/user. */
function candidates({ variable, uid }: RuntimeVariables): string[] {
  const named = variable('XDG_RUNTIME_DIR');
  const customary = typeof uid === 'number' ? [`/run/user/${uid}`] : [];
  return [...(named === null ? [] : [named]), ...customary].filter(path.isAbsolute);
}
