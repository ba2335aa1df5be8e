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
    places = [...new Set([config, state].flatMap((directory) => [directory, realOf(directory)]))];
    return places;
  };
  return (realPath) =>
    isScratch(realPath) ||
    find().some(
      (place) => realPath === place || realPath.startsWith(place.endsWith(path.sep) ? place : place + path.sep),
    );
}

/** As it is written where it does not exist yet. */
function realOf(directory: string): string {
  try {
    return fs.realpathSync.native(directory);
  } catch {
    return directory;
  }
}
