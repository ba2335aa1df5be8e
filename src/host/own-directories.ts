import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { Paths } from './paths.ts';
import { isScratch } from './scratch.ts';

/** Long enough for a long listing, short enough for somebody who moves a directory. */
const knownForMs = 1000;

/** Whether a real path lies in one of the directories with our settings, tokens and notes, or among the files we lend to other programs. */
export function createOwnPlaces({ config, state }: Paths, clock: Clock): (realPath: string) => boolean {
  let places: string[] = [];
  let foundAt = Number.NEGATIVE_INFINITY;
  const find = (): string[] => {
    if (clock.monotonic() - foundAt < knownForMs) return places;
    foundAt = clock.monotonic();
    places = [...new Set([config, state].flatMap((directory) => [directory, realOf(directory)]))].map(withoutCase);
    return places;
  };
  return (realPath) => {
    const wanted = withoutCase(realPath);
    return (
      isScratch(wanted) ||
      find().some((place) => wanted === place || wanted.startsWith(place.endsWith(path.sep) ? place : place + path.sep))
    );
  };
}

/**
 * Where a file system takes upper and lower case for the same (ext4 with casefold, vfat, SMB, NTFS), the system may report a path as it was asked for.
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

/** As it is written where it does not exist yet. */
function realOf(directory: string): string {
  try {
    return fs.realpathSync.native(directory);
  } catch {
    return directory;
  }
}
