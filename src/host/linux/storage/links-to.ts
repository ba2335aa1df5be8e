import fs from 'node:fs';
import path from 'node:path';
import type { Owned } from '../../contained/contained.ts';

/** The limit of the kernel. */
const mostLinks = 40;

/** The symbolic links that are followed on the way to an existing file. The owner of a link can change its target; its permissions are meaningless. */
export function linksTo(file: string): Owned[] {
  const links: Owned[] = [];
  let at = '/';
  let names = file.split('/');
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = path.posix.join(at, name);
    const stat = fs.lstatSync(next);
    if (!stat.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (links.length === mostLinks) throw new Error(`Too many symbolic links lead to ${file}`);
    links.push({ realPath: next, kind: 'other', mode: 0, user: stat.uid, group: stat.gid });
    const target = fs.readlinkSync(next);
    if (path.posix.isAbsolute(target)) at = '/';
    names = [...target.split('/'), ...names];
  }
  return links;
}
