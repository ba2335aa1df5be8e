import path from 'node:path';
import { type BaseHost, basesOf, findInBases } from '../../../core/files/bases.ts';
import type { BaseDirectory } from '../../../core/files/served-paths.ts';
import type { ContainedEntry } from '../../../host/contained/contained.ts';
import type { Paths } from '../../../host/paths.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { Settings } from '../../../settings/settings.schema.ts';
import { kindOfFile } from '../media-names.ts';

export type CoverHost = BaseHost & { paths: Pick<Paths, 'runtime'> };

/**
 * Opens the artwork file of a player if it is in a directory for covers; null: it is not, or does not exist. A sandboxed player can name
 * any path, and every client with access to `media` sees the picture: no other file of the user may be shown that way.
 */
export async function findCover(
  host: CoverHost,
  settings: Settings,
  cover: string,
  played: string | null,
): Promise<ContainedEntry | null> {
  const entry =
    (await findIn(host, await coverPlaces(host, settings, cover), cover)) ?? (await besides(host, cover, played));
  if (entry === null || !isThumbnail.test(entry.realPath)) return entry;
  entry.close();
  return null;
}

/** Thumbnails of all pictures that the user has viewed. */
const isThumbnail = /\/thumbnails\/(fail|normal|large|x-large|xx-large)\//;

async function coverPlaces(host: CoverHost, settings: Settings, cover: string): Promise<string[]> {
  const { environment, paths } = host;
  const { home } = environment;
  const custom = (variable: string, fallback: string) => {
    const value = environment.variable(variable);
    return value !== null && path.isAbsolute(value) ? value : path.resolve(home, fallback);
  };
  const named = new Set(['music', 'videos', ...settings.media.directories.map(({ name }) => name)]);
  const bases = (await basesOf(host, settings)).filter(({ key }) => named.has(key));
  return [
    custom('XDG_CACHE_HOME', '.cache'),
    '/tmp',
    '/var/tmp',
    custom('TMPDIR', '/tmp'),
    ...(paths.runtime === null ? [] : [path.join(paths.runtime, 'app')]),
    ...firefox.map((place) => path.join(home, place)),
    path.join(custom('XDG_DATA_HOME', '.local/share'), 'strawberry'),
    path.join(custom('XDG_CONFIG_HOME', '.config'), 'Clementine', 'albumcovers'),
    ...sandboxPlaces(home, cover),
    ...bases.map((base) => base.path),
  ];
}

const firefox = ['.mozilla/firefox/firefox-mpris', '.config/mozilla/firefox/firefox-mpris'];

/** Flatpak and Snap give each program its own home directory. */
function sandboxPlaces(home: string, cover: string): string[] {
  const [sandbox] = /^(\.var\/app\/[^/]+|snap\/[^/]+\/[^/]+)(?=\/)/.exec(path.relative(home, cover)) ?? [];
  if (sandbox === undefined) return [];
  return ['cache', '.cache', ...firefox].map((place) => path.join(home, sandbox, place));
}

/** In the directory of the track, if that is a media file and no part of its path is hidden. */
async function besides(host: CoverHost, cover: string, played: string | null): Promise<ContainedEntry | null> {
  if (played === null || kindOfFile(played) === null || path.dirname(played) !== path.dirname(cover)) return null;
  const directory = path.dirname(played);
  const song = await findIn(host, [directory], played);
  song?.close();
  if (song?.kind !== 'file' || kindOfFile(song.realName) === null || /\/\./.test(song.realPath)) return null;
  const entry = await findIn(host, [directory], cover);
  if (entry === null || path.dirname(entry.realPath) === path.dirname(song.realPath)) return entry;
  entry.close();
  return null;
}

async function findIn(host: CoverHost, places: string[], file: string): Promise<ContainedEntry | null> {
  const bases = places.map((place): BaseDirectory => ({ key: place, name: place, path: place }));
  try {
    return (await findInBases(host, { hidden: true }, bases, file)).entry;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
