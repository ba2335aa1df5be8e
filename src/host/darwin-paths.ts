import path from 'node:path';
import type { Environment } from './environment.ts';
import type { Paths } from './paths.ts';

export function darwinPaths({ home }: Pick<Environment, 'home'>): Paths {
  const directory = path.join(home, 'Library', 'Application Support', 'hostler');
  return { config: directory, state: directory, runtime: null };
}
