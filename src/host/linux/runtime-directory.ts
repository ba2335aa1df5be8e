import path from 'node:path';
import type { Exposure } from '../storage.ts';
import type { LinuxEnvironment } from './linux-environment.ts';
import { exposureOf } from './storage/exposure.ts';

/** Without XDG_RUNTIME_DIR it follows from the uid. */
export type RuntimeVariables = Pick<LinuxEnvironment, 'variable'> & Partial<Pick<LinuxEnvironment, 'uid'>>;

/**
 * The directory with the sockets of the user's session: that of XDG_RUNTIME_DIR, else the default one. One that another user owns or may write to is
 * not used: after `su` the variable still names that of the previous user, and any user can create a directory below /tmp.
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

/** A system service does not get the variable, but every system with logind or elogind has it in /run/user. */
function candidates({ variable, uid }: RuntimeVariables): string[] {
  const named = variable('XDG_RUNTIME_DIR');
  const customary = typeof uid === 'number' ? [`/run/user/${uid}`] : [];
  return [...(named === null ? [] : [named]), ...customary].filter(path.isAbsolute);
}
