import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { parseUserDirs } from './user-dirs.ts';

/** A directory whose files are served, and those below it. It need not exist. */
export interface BaseDirectory {
  key: string;
  name: string;
  path: string;
}

/** Every known base, home first. Of two with the same key the first counts: nobody gives `music` another meaning in the settings. */
export function basesOf(
  { environment, storage }: Pick<Host, 'environment' | 'storage'>,
  { media }: Pick<Settings, 'media'>,
): BaseDirectory[] {
  const { home } = environment;
  const userDirs = parseUserDirs(userDirsText(environment, storage), home);
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

/** Key, name and fallback in the home, key in user-dirs.dirs. A directory switched off there is looked for under the fallback. */
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

/** Paths in the settings are absolute, or relative to the home, with or without `~/`; never to wherever the service was started. */
function underHome(directory: string, home: string): string {
  return path.resolve(home, directory.replace(/^~(?=[/\\]|$)/, home));
}

function userDirsText(environment: Host['environment'], storage: Host['storage']): string {
  const configured = environment.variable('XDG_CONFIG_HOME');
  const config =
    configured !== null && path.isAbsolute(configured) ? configured : path.join(environment.home, '.config');
  try {
    return storage.read(path.join(config, 'user-dirs.dirs')) ?? '';
  } catch {
    // What cannot be read says nothing: the fallbacks hold.
    return '';
  }
}
