import path from 'node:path';
import type { Paths } from '../paths.ts';
import type { LinuxEnvironment } from './linux-environment.ts';
import { runtimeDirectory } from './runtime-directory.ts';

/** https://specifications.freedesktop.org/basedir-spec: relative values are to be ignored. */
export function linuxPaths({ variable, home, uid }: Pick<LinuxEnvironment, 'variable' | 'home' | 'uid'>): Paths {
  const base = (name: string, fallback: string) => {
    const value = variable(name);
    return path.join(value && path.isAbsolute(value) ? value : path.join(home, fallback), 'hostler');
  };
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    state: base('XDG_STATE_HOME', '.local/state'),
    // Checked each time: any user may create it after the start.
    get runtime() {
      return runtimeDirectory({ variable, uid });
    },
  };
}
