import { createHash } from 'node:crypto';
import { gzip, type Stamp, tar } from './archives.ts';
import type { Compress } from './compress.ts';
import type { PackageFacts } from './deb.ts';
import { file, joined, type PackedEntry, text, withDirectories } from './tree.ts';

/** https://man.archlinux.org/man/alpm-package.7 */
export async function archPackage(
  facts: PackageFacts,
  architecture: string,
  tree: readonly PackedEntry[],
  install: string,
  stamp: Stamp,
  compress: Compress,
): Promise<Uint8Array> {
  const size = tree.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  const info = [
    `pkgname = ${facts.name}`,
    `pkgbase = ${facts.name}`,
    `pkgver = ${facts.version}-1`,
    `pkgdesc = ${facts.summary}`,
    ...(facts.homepage === null ? [] : [`url = ${facts.homepage}`]),
    `builddate = ${stamp.time}`,
    `packager = ${facts.maintainer}`,
    `size = ${size}`,
    `arch = ${architecture}`,
    'license = MIT',
    'depend = glibc',
    'optdepend = systemd: to be started at login or with the machine',
    '',
  ].join('\n');
  const meta = [file('.PKGINFO', info), file('.INSTALL', install)];
  const list = gzip(text(mtree([...meta, ...tree], stamp)));
  // pacman reads the metadata first.
  const head = tar([...meta, file('.MTREE', list)], stamp).slice(0, -1024);
  return (await compress(joined([head, tar(tree, stamp)]))).bytes;
}

/** https://man.archlinux.org/man/mtree.5 */
function mtree(entries: readonly PackedEntry[], { time }: Stamp): string {
  const lines = withDirectories(entries).map(({ path, mode, data }) =>
    data === null
      ? `./${path} time=${time}.0 mode=${mode.toString(8)} type=dir`
      : `./${path} time=${time}.0 mode=${mode.toString(8)} size=${data.length} md5digest=${digest('md5', data)} sha256digest=${digest('sha256', data)}`,
  );
  return ['#mtree', '/set type=file uid=0 gid=0 mode=644', ...lines, ''].join('\n');
}

/** Older versions of pacman read the first, newer ones the second. */
const digest = (kind: 'md5' | 'sha256', data: Uint8Array) => createHash(kind).update(data).digest('hex');
