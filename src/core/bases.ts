import path from 'node:path';
import type { ContainedEntry, ContainedProblem, Outcome } from '../host/contained.ts';
import type { Host } from '../host/host.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { type ErrorCode, ServiceError } from './errors.ts';
import { after, type Later } from './later.ts';
import { parseUserDirs } from './user-dirs.ts';

/** A directory whose files are served, and those below it. It need not exist. */
export interface BaseDirectory {
  key: string;
  name: string;
  path: string;
}

/** Every known base, home first. Of two with the same key the first counts: nobody gives `music` another meaning in the settings. */
export function basesOf(
  host: Pick<Host, 'contained' | 'environment' | 'storage'>,
  settings: Pick<Settings, 'media'>,
): Later<BaseDirectory[]> {
  const { home } = host.environment;
  return after(userDirsText(host), (text) => listBases(home, parseUserDirs(text, home), settings));
}

function listBases(home: string, userDirs: Map<string, string>, { media }: Pick<Settings, 'media'>): BaseDirectory[] {
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
export function underHome(directory: string, home: string): string {
  return path.resolve(home, directory.replace(/^~(?=[/\\]|$)/, home));
}

/** What cannot be read says nothing: the fallbacks hold. */
function userDirsText({ contained, environment, storage }: Parameters<typeof basesOf>[0]): Later<string> {
  const configured = environment.variable('XDG_CONFIG_HOME');
  const config =
    configured !== null && path.isAbsolute(configured) ? configured : path.join(environment.home, '.config');
  const file = path.join(config, 'user-dirs.dirs');
  try {
    return contained.mayHang(file) ? textInside(contained, file).catch(() => '') : (storage.read(file) ?? '');
  } catch {
    return '';
  }
}

async function textInside(contained: Host['contained'], file: string): Promise<string> {
  const entry = await findAnywhere(contained, file);
  if (typeof entry === 'string') return '';
  const opening = entry.open();
  entry.close();
  const opened = await opening;
  if (typeof opened === 'string') return '';
  const reading = opened.read(0, entry.size);
  opened.close();
  const bytes = await reading;
  return typeof bytes === 'string' ? '' : new TextDecoder().decode(bytes);
}
