import fs from 'node:fs';
import { locate } from '../../../host/linux/files.ts';
import { messageOf } from '../../../lib/errors.ts';
import { readApt } from './apt.ts';
import { readFlatpak } from './flatpak.ts';
import { type ManagerName, type ManagerState, silentManager } from './manager-state.ts';
import { readPacman } from './pacman.ts';
import type { QueryParts } from './query.ts';

const readers: [ManagerName, (parts: QueryParts) => Promise<ManagerState | null>][] = [
  ['apt', readApt],
  ['pacman', readPacman],
  ['flatpak', readFlatpak],
  [
    'snap',
    async ({ roots }) =>
      ['/run/snapd.socket', '/var/lib/snapd/state.json'].some((file) => fs.existsSync(locate(roots, file)))
        ? silentManager(
            'snap',
            'snapd asks the store over the network for updates, and keeps no list that others may read',
          )
        : null,
  ],
];

/** All queries together. The deadline of the module is later. */
const scanWithinMs = 120_000;

/** Every manager in use, one query after the other. A failed query affects its own manager only. */
export async function scanPackages({ run, ...machine }: QueryParts): Promise<ManagerState[]> {
  const end = performance.now() + scanWithinMs;
  const parts: QueryParts = {
    ...machine,
    run: (program, args, options) =>
      run(program, args, { ...options, timeoutMs: Math.max(1, end - performance.now()) }),
  };
  const found: ManagerState[] = [];
  for (const [name, read] of readers) {
    try {
      const state = await read(parts);
      if (state !== null) found.push(state);
    } catch (error) {
      found.push(silentManager(name, `its updates could not be listed: ${messageOf(error)}`));
    }
  }
  return found;
}
