import path from 'node:path';
import type { ContainedEntry, ContainedFacts } from '../../host/contained/contained.ts';
import type { Host } from '../../host/host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { baseRefusal } from './base-refusals.ts';
import { type BaseDirectory, findServed } from './served-paths.ts';

export type BaseHost = Pick<Host, 'contained' | 'environment' | 'userDirectories'>;

/** Every known base, home first. Of two with the same key the first counts: the settings cannot redefine `music`. */
export async function basesOf(host: BaseHost, { media }: Pick<Settings, 'media'>): Promise<BaseDirectory[]> {
  const { home } = host.environment;
  const userDirs = await host.userDirectories();
  const bases: BaseDirectory[] = [
    { key: 'home', name: 'Home', path: home },
    ...builtIn.map(([key, name, xdg]) => ({ key, name, path: userDirs.get(xdg) ?? path.join(home, name) })),
    ...[...userDirs]
      .filter(([xdg]) => !builtIn.some(([, , known]) => known === xdg))
      .map(([xdg, directory]) => otherUserDir(xdg, directory)),
    ...media.directories.map((directory) => ({
      key: directory.name,
      name: directory.name,
      path: underHome(directory.path, home),
    })),
  ];
  return bases.filter(({ key }, index) => bases.findIndex((other) => other.key === key) === index);
}

/** Key, name and fallback in the home, key in user-dirs.dirs. A directory that is switched off there uses the fallback. */
const builtIn = [
  ['documents', 'Documents', 'documents'],
  ['downloads', 'Downloads', 'download'],
  ['music', 'Music', 'music'],
  ['pictures', 'Pictures', 'pictures'],
  ['videos', 'Videos', 'videos'],
] as const;

function otherUserDir(xdg: string, directory: string): BaseDirectory {
  const key = xdg === 'publicshare' ? 'public' : xdg;
  return { key, name: key.charAt(0).toUpperCase() + key.slice(1), path: directory };
}

/** Paths in the settings are absolute, or relative to the home, with or without `~/`; never relative to the working directory. */
export function underHome(directory: string, home: string): string {
  return path.resolve(home, withHome(directory, home));
}

const withHome = (file: string, home: string) => file.replace(/^~(?=[/\\]|$)/, () => home);

export interface InBase {
  base: BaseDirectory;
  relative: string;
}

/**
 * Resolves an absolute path, or one with `~/`, that lies in a known base; rejects with a ServiceError that says why not. Its `realPath` is
 * inside that base as well, whatever links the path contains.
 */
export async function lookInBases(
  host: BaseHost,
  settings: Pick<Settings, 'media' | 'files'>,
  file: string,
): Promise<ContainedFacts & InBase> {
  const { entry, ...place } = await findInBases(host, settings.files, await basesOf(host, settings), file);
  entry.close();
  const { realName, realPath, realInside, kind, size, modifiedMs, mode, user, group, identities, version } = entry;
  return { ...place, realName, realPath, realInside, kind, size, modifiedMs, mode, user, group, identities, version };
}

/** The same in these bases, with the entry open: the caller closes it. */
export async function findInBases(
  { contained, environment }: Pick<BaseHost, 'contained' | 'environment'>,
  { hidden }: Settings['files'],
  bases: readonly BaseDirectory[],
  file: string,
): Promise<InBase & { entry: ContainedEntry }> {
  const wanted = withHome(file, environment.home);
  if (path.isAbsolute(wanted) && !wanted.includes('\0')) {
    // The innermost first: a base that is a link, such as ~/Music, leads out of its parent.
    const byName = [...bases].sort((a, b) => b.path.length - a.path.length).map((base) => ({ base, at: base.path }));
    for (const places of [() => byName, () => realPlaces(contained, bases)]) {
      for (const { base, at } of await places()) {
        const relative = relativeTo(at, wanted);
        const entry = relative === null ? 'escapes' : await findServed(contained, hidden, base, relative);
        if (relative === null || entry === 'escapes') continue;
        if (typeof entry === 'string') throw baseRefusal(entry, base, 'BAD_FILE');
        return { base, relative, entry };
      }
    }
  }
  throw new ServiceError('forbidden', 'The path is not in any of the known directories; GET_DIRECTORIES lists them', {
    subtype: 'BAD_PATH',
  });
}

/** A caller may know only the real path of a base. */
async function realPlaces(contained: Host['contained'], bases: readonly BaseDirectory[]) {
  const places = await Promise.all(
    bases.map(async (base) => {
      const entry = await contained.find(base.path, '.');
      if (typeof entry === 'string') return [];
      entry.close();
      return [{ base, at: entry.realPath }];
    }),
  );
  return places.flat();
}

/** null: it is not inside. Does not access the file system. */
function relativeTo(directory: string, file: string): string | null {
  const relative = path.relative(directory, file);
  const leaves = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return leaves ? null : relative || '.';
}
