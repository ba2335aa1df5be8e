import fs from 'node:fs';
import path from 'node:path';
import type { Owned } from '../../contained/contained.ts';

/** The limit of the kernel. */
const mostLinks = 40;

/** The symbolic links that are followed on the way to an existing file. The owner of a link can change its target; its permissions are meaningless. */
export function linksTo(file: string): Owned[] {
  return [...placesTo(file)].flatMap(({ place, stat }) =>
    stat.isSymbolicLink() ? [{ realPath: place, kind: 'other', mode: 0, user: stat.uid, group: stat.gid }] : [],
  );
}

/** Every directory and link that the kernel passes on the way to `file`, an absolute path, and the file itself at the end. Throws at the first that is missing. */
export function* placesTo(file: string): Generator<{ place: string; stat: fs.Stats }> {
  let links = 0;
  let at = '/';
  let names = file.split('/');
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const place = path.posix.join(at, name);
    const stat = fs.lstatSync(place);
    if (stat.isSymbolicLink() && links++ === mostLinks) throw new Error(`Too many symbolic links lead to ${file}`);
    yield { place, stat };
    if (!stat.isSymbolicLink()) {
      at = place;
      continue;
    }
    const target = fs.readlinkSync(place);
    if (path.posix.isAbsolute(target)) at = '/';
    names = [...target.split('/'), ...names];
  }
}
