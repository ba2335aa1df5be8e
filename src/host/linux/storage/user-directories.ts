import path from 'node:path';
import { findAnywhere } from '../../../core/files/find-anywhere.ts';
import { type Later, mapLater } from '../../../lib/later.ts';
import type { LinuxHost } from '../linux-host.ts';

type UserHost = Pick<LinuxHost, 'contained' | 'environment' | 'storage'>;

/** The user's own directories by their keys in lower case (`music`, `download`). */
export function readUserDirectories(host: UserHost): Later<Map<string, string>> {
  return mapLater(textOf(host), (text) => parseUserDirs(text, host.environment.home));
}

/** The text of user-dirs.dirs. If it cannot be read, the defaults apply. */
function textOf({ contained, environment, storage }: UserHost): Later<string> {
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

async function textInside(contained: LinuxHost['contained'], file: string): Promise<string> {
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

/**
 * From the text of user-dirs.dirs.
 * https://www.freedesktop.org/wiki/Software/xdg-user-dirs: a directory that points to the home is disabled and left out.
 */
export function parseUserDirs(text: string, home: string): Map<string, string> {
  const directories = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*XDG_([A-Z0-9_]+)_DIR\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const directory = absolute(value, home);
    // As in a shell the last line counts, also when it disables the directory.
    if (directory === null) directories.delete(key.toLowerCase());
    else directories.set(key.toLowerCase(), directory);
  }
  return directories;
}

/** null: the home itself, or a path that is neither in it nor absolute, which the format does not allow. */
function absolute(value: string, home: string): string | null {
  const underHome = /^\$HOME(?=\/|$)/.test(value);
  const rest = (underHome ? value.slice('$HOME'.length) : value).replaceAll(/\\(.)/g, '$1');
  if (!underHome && !rest.startsWith('/')) return null;
  const directory = withoutTrailing(underHome ? home + rest : rest);
  return directory === withoutTrailing(home) ? null : directory;
}

const withoutTrailing = (directory: string) => directory.replace(/(?<=.)\/+$/, '');
