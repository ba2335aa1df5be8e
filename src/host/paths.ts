import path from 'node:path';
import type { Environment } from './environment.ts';

export interface Paths {
  /** Holds settings.json. */
  config: string;
  /** Holds tokens and what is remembered between runs; readable by its owner only. */
  state: string;
  /** Of the user's session: sockets of buses and sound servers. It may not exist, as outside of any session; null: no such thing here. */
  runtime: string | null;
}

type Directories = Pick<Paths, 'config' | 'state'>;

const customary = { linux: linuxPaths, windows: windowsPaths, darwin: darwinPaths };

export function createPaths(environment: Environment, platform: keyof typeof customary): Paths {
  const { config, state } = customary[platform](environment);
  return {
    config: path.resolve(environment.variable('SERVICE_CONFIG_DIR') ?? config),
    state: path.resolve(environment.variable('SERVICE_STATE_DIR') ?? state),
    runtime: environment.variable('XDG_RUNTIME_DIR') ?? (platform === 'linux' ? runtimeOf(environment.uid) : null),
  };
}

/** A service of the system is not told where it is, but every system with logind or elogind has it here. */
export function runtimeOf(uid: number | null | undefined): string | null {
  return typeof uid === 'number' ? `/run/user/${uid}` : null;
}

/** https://specifications.freedesktop.org/basedir-spec: relative values are to be ignored. */
function linuxPaths(environment: Environment): Directories {
  const base = (variable: string, fallback: string) => {
    const value = environment.variable(variable);
    return path.join(value && path.isAbsolute(value) ? value : path.join(environment.home, fallback), 'hostler');
  };
  return { config: base('XDG_CONFIG_HOME', '.config'), state: base('XDG_STATE_HOME', '.local/state') };
}

function windowsPaths(environment: Environment): Directories {
  const directory = path.join(
    environment.variable('LOCALAPPDATA') ?? path.join(environment.home, 'AppData', 'Local'),
    'hostler',
  );
  return { config: directory, state: directory };
}

function darwinPaths(environment: Environment): Directories {
  const directory = path.join(environment.home, 'Library', 'Application Support', 'hostler');
  return { config: directory, state: directory };
}
