import fs from 'node:fs';
import { definePart } from '../../../core/part.ts';
import { locate, rootsFrom } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Clock } from '../../../lib/clock.ts';
import { stopAll } from '../../../lib/closing.ts';
import type { ManagerState } from './manager-state.ts';
import type { QueryParts } from './query.ts';
import { createSettling } from './updates.daemons.ts';

/** Available updates of the package managers, from lists they fetched before. Nothing is locked or refreshed. */
export interface PackageState {
  /** Queries each manager in child processes of low priority. The updates module calls it for the first read, after `signature` changed or a daemon announced a change, and every six hours. */
  scan(): Promise<ManagerState[]>;
  /** Changes whenever a manager may have done something. */
  signature(): string;
  /** Calls back some seconds after the last change of a manager; returns a function that stops it. */
  follow(changed: () => void): () => void;
}

export const packages = definePart<PackageState, LinuxHost>({
  name: 'updates.packages',
  create: ({ environment, run, clock }) =>
    createPackageState(
      { roots: rootsFrom(environment.variable), home: environment.home, uid: environment.uid, run },
      clock,
    ),
  absent: { scan: async () => [], signature: () => '', follow: () => () => {} },
});

export function createPackageState(parts: QueryParts, clock: Pick<Clock, 'after'>): PackageState {
  const places = () => managerPlaces(parts.home).map((place) => locate(parts.roots, place));
  return {
    scan: async () => (await import('./package-scan.ts')).scanPackages(parts),
    signature: () => placesSignature(places()),
    follow(changed) {
      const settling = createSettling(clock, changed);
      const stops = places().flatMap((place) => watchPlace(place, settling.touch) ?? []);
      return stopAll([...stops, settling.stop]);
    },
  };
}

export const placesSignature = (places: readonly string[]): string =>
  places
    .map((place) => {
      try {
        const stat = fs.statSync(place, { throwIfNoEntry: false });
        return stat === undefined ? '-' : `${stat.ino}:${stat.mtimeMs}`;
      } catch {
        return '?';
      }
    })
    .join(' ');

/** null: missing, or no watch is available; then the next scan notices changes. */
function watchPlace(place: string, changed: () => void): (() => void) | null {
  try {
    if (!fs.statSync(place).isDirectory()) return null;
    const watcher = fs.watch(place, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return null;
  }
}

/** Files that each manager changes, and its settings. Plain names, so that no reader is loaded to check them. */
export const managerPlaces = (home: string): string[] => [
  '/var/lib/dpkg',
  '/var/lib/dpkg/status',
  '/etc/apt',
  '/etc/apt/apt.conf.d',
  '/etc/apt/preferences.d',
  '/etc/apt/sources.list.d',
  '/var/lib/apt/lists',
  '/var/lib/apt/lists/partial',
  '/var/lib/apt/periodic',
  '/etc/pacman.conf',
  '/var/lib/pacman/local',
  '/var/lib/pacman/sync',
  '/var/lib/flatpak',
  '/var/lib/flatpak/repo/tmp/cache/summaries',
  `${home}/.local/share/flatpak`,
  `${home}/.local/share/flatpak/repo/tmp/cache/summaries`,
  `${home}/.cache/flatpak/system-cache/summaries`,
  '/run/reboot-required',
  '/run/reboot-required.pkgs',
];
