/**
 * The user's own directories by their keys in lower case (`music`, `download`), from the text of user-dirs.dirs.
 * https://www.freedesktop.org/wiki/Software/xdg-user-dirs: a directory is switched off by pointing it to the home; it is left out.
 */
export function parseUserDirs(text: string, home: string): Map<string, string> {
  const directories = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*XDG_([A-Z0-9_]+)_DIR\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const path = absolute(value, home);
    // As in a shell the last line counts, also when it switches the directory off.
    if (path === null) directories.delete(key.toLowerCase());
    else directories.set(key.toLowerCase(), path);
  }
  return directories;
}

/** null: the home itself, or a path that is neither in it nor absolute, which the format does not have. */
function absolute(value: string, home: string): string | null {
  const underHome = /^\$HOME(?=\/|$)/.test(value);
  const rest = (underHome ? value.slice('$HOME'.length) : value).replaceAll(/\\(.)/g, '$1');
  if (!underHome && !rest.startsWith('/')) return null;
  const path = withoutTrailing(underHome ? home + rest : rest);
  return path === withoutTrailing(home) ? null : path;
}

const withoutTrailing = (path: string) => path.replace(/(?<=.)\/+$/, '');
