import path from 'node:path';
import type { Environment } from '../environment.ts';
import type { Paths } from '../paths.ts';

export function windowsPaths({ variable, home }: Pick<Environment, 'variable' | 'home'>): Paths {
  const directory = path.join(variable('LOCALAPPDATA') ?? path.join(home, 'AppData', 'Local'), 'hostler');
  return { config: directory, state: directory, runtime: null };
}
