import path from 'node:path';
import type { Paths } from '../paths.ts';
import type { LinuxEnvironment } from './linux-environment.ts';

/** https://specifications.freedesktop.org/basedir-spec: relative values are to be ignored. */
export function linuxPaths({ variable, home, uid }: Pick<LinuxEnvironment, 'variable' | 'home' | 'uid'>): Paths {
  const base = (name: string, fallback: string) => {
    const value = variable(name);
    return path.join(value && path.isAbsolute(value) ? value : path.join(home, fallback), 'hostler');
  };
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    state: base('XDG_STATE_HOME', '.local/state'),
    runtime: variable('XDG_RUNTIME_DIR') ?? runtimeOf(uid),
  };
}

/** A service of the system is not told where it is, but every system with logind or elogind has it here. */
export function runtimeOf(uid: number | null | undefined): string | null {
  return typeof uid === 'number' ? `/run/user/${uid}` : null;
}
