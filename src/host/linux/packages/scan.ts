import fs from 'node:fs';
import { messageOf } from '../../../lib/errors.ts';
import { locate, type Roots } from '../files.ts';
import { readApt } from './apt-state.ts';
import { readFlatpak } from './flatpak-state.ts';
import { type ManagerName, type ManagerState, silentManager } from './manager-state.ts';
import { readPacman } from './pacman-state.ts';

const readers: Partial<Record<ManagerName, (roots: Roots, home: string) => Promise<ManagerState | null>>> = {
  apt: readApt,
  pacman: readPacman,
  flatpak: readFlatpak,
  snap: async (roots) =>
    ['/run/snapd.socket', '/var/lib/snapd/state.json'].some((file) => fs.existsSync(locate(roots, file)))
      ? silentManager(
          'snap',
          'snapd asks the store over the network for updates, and keeps no list that others may read',
        )
      : null,
};

/** Every manager that is there; what fails costs that manager only. */
export async function scanPackages(roots: Roots, home: string): Promise<ManagerState[]> {
  const found: ManagerState[] = [];
  for (const [name, read] of Object.entries(readers)) {
    try {
      const state = await read(roots, home);
      if (state !== null) found.push(state);
    } catch (error) {
      found.push(silentManager(name as ManagerName, `Its files cannot be read: ${messageOf(error)}`));
    }
  }
  return found;
}
