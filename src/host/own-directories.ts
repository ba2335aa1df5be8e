import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { identityOf } from './contained/contained.opened.ts';
import type { Contained } from './contained/contained.ts';
import type { Paths } from './paths.ts';
import { isScratch } from './scratch.ts';

/** Long enough for a long listing, short enough for a directory that is moved. */
const knownForMs = 1000;

/**
 * Whether a real path lies in one of the directories with our settings, tokens and notes, or among the files for other programs. The
 * runtime directory is shared with other programs of the user, so only our files in it count, by their name.
 */
export function createOwnPlaces({ config, state }: Paths, clock: Clock): Contained['isOurs'] {
  let places: string[] = [];
  let identities = new Set<string>();
  let foundAt = Number.NEGATIVE_INFINITY;
  const refresh = () => {
    if (clock.monotonic() - foundAt < knownForMs) return;
    foundAt = clock.monotonic();
    places = [...new Set([config, state].flatMap((directory) => [directory, realOf(directory)]))].map(withoutCase);
    identities = new Set([config, state].flatMap((directory) => identityOf(directory) ?? []));
  };
  return (realPath, itsIdentities = []) => {
    refresh();
    const wanted = withoutCase(realPath);
    return (
      isScratch(wanted) ||
      itsIdentities.some((identity) => identities.has(identity)) ||
      places.some((place) => wanted === place || wanted.startsWith(place.endsWith(path.sep) ? place : place + path.sep))
    );
  };
}

/**
 * Where a file system takes upper and lower case for the same (ext4 with casefold, vfat, SMB, NTFS), the system may report a path as it was requested.
 * ext4 also ignores compatibility forms and invisible characters. https://docs.kernel.org/admin-guide/ext4.html
 */
function withoutCase(place: string): string {
  if (ascii.test(place)) return place.toLowerCase();
  return place
    .normalize('NFKD')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}

const ascii = /^[\x20-\x7e]*$/;

/** As written where it does not exist yet. */
function realOf(directory: string): string {
  try {
    return fs.realpathSync.native(directory);
  } catch {
    return directory;
  }
}
