import fs from 'node:fs';
import path from 'node:path';
import { listDirectory, listDirectoryAtOnce } from './contained.listing.ts';
import { containedProblemOf, identitiesOf, kindOf, openedFile, versionOf } from './contained.opened.ts';
import { type Contained, inside, type LocalEntry, type LocalFile, type Outcome } from './contained.ts';

// The last two do not exist on every system.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;

/** For systems on which nothing is known to hang. */
export const createPortableContained = (isOurs: Contained['isOurs'] = () => false): Contained => ({
  find: inside(findByName),
  isOurs,
  mayHang: () => false,
});

/** Where descriptors have no paths. Weaker: a directory that is swapped for a link and back between two calls is not always noticed. */
export function findByName(base: string, relative: string): Outcome<LocalEntry> {
  try {
    const realBase = fs.realpathSync.native(base);
    const real = realInside(realBase, relative);
    if (real === null) return 'escapes';
    const stat = fs.lstatSync(real, { bigint: true });
    const kind = kindOf(stat);
    if (relative.endsWith(path.sep) && kind !== 'directory') return 'missing';
    const directory = { path: real, encoding: 'utf8' } as const;
    return {
      realName: path.basename(real),
      realPath: real,
      realInside: path.relative(realBase, real),
      kind,
      size: Number(stat.size),
      modifiedMs: Number(stat.mtimeMs),
      mode: Number(stat.mode),
      user: Number(stat.uid),
      group: Number(stat.gid),
      identities: identitiesOf(real),
      version: versionOf(stat),
      open: () => (kind === 'file' ? openSame(real, stat) : 'not_regular'),
      list: () => listDirectory({ ...directory, untouched: () => new Set() }),
      listAtOnce: (untouched) => listDirectoryAtOnce({ ...directory, untouched: () => untouched }),
      close: () => {},
    };
  } catch (error) {
    return containedProblemOf(error);
  }
}

/** Step by step, so that a link that leads out does not reveal what exists behind it. */
function realInside(realBase: string, relative: string): string | null {
  let real = realBase;
  for (const name of relative.split(path.sep)) {
    real = fs.realpathSync.native(path.join(real, name));
    if (real !== realBase && !real.startsWith(realBase.endsWith(path.sep) ? realBase : `${realBase}${path.sep}`))
      return null;
  }
  return real;
}

function openSame(real: string, { dev, ino }: fs.BigIntStats): Outcome<LocalFile> {
  try {
    const descriptor = fs.openSync(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const file = openedFile(descriptor, null);
    try {
      const opened = fs.fstatSync(descriptor, { bigint: true });
      if (opened.ino === ino && opened.dev === dev && fs.realpathSync.native(real) === real) return file;
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    return 'missing';
  } catch (error) {
    return containedProblemOf(error);
  }
}
