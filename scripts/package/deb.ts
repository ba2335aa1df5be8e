import { createHash } from 'node:crypto';
import { ar, gzip, type Stamp, tar } from './archives.ts';
import type { Compress } from './compress.ts';
import { file, type PackedEntry, text } from './tree.ts';

export interface PackageFacts {
  name: string;
  version: string;
  summary: string;
  description: string;
  maintainer: string;
  homepage: string | null;
}

/** https://www.debian.org/doc/debian-policy/ch-controlfields.html#binary-package-control-files-debian-control */
export async function deb(
  facts: PackageFacts,
  architecture: string,
  tree: readonly PackedEntry[],
  scripts: Record<string, string>,
  stamp: Stamp,
  compress: Compress,
): Promise<Uint8Array> {
  const files = tree.filter(({ data }) => data !== null);
  const kibibytes = files.reduce((sum, { data }) => sum + Math.ceil((data?.length ?? 0) / 1024), 0);
  const control = [
    `Package: ${facts.name}`,
    `Version: ${facts.version}-1`,
    `Architecture: ${architecture}`,
    `Maintainer: ${facts.maintainer}`,
    `Installed-Size: ${kibibytes}`,
    'Depends: libc6 (>= 2.17)',
    'Recommends: systemd | systemd-standalone-sysusers, dbus-user-session | dbus-x11',
    'Section: utils',
    'Priority: optional',
    ...(facts.homepage === null ? [] : [`Homepage: ${facts.homepage}`]),
    `Description: ${facts.summary}`,
    ...facts.description.split('\n').map((line) => ` ${line || '.'}`),
    '',
  ].join('\n');
  const sums = files
    .map(
      ({ path, data }) =>
        `${createHash('md5')
          .update(data ?? '')
          .digest('hex')}  ${path}\n`,
    )
    .sort((one, other) => (one.slice(34) < other.slice(34) ? -1 : 1));
  const members = [
    file('control', control),
    file('md5sums', sums.join('')),
    ...Object.entries(scripts).map(([name, script]) => file(name, script, 0o755)),
  ];
  const data = await compress(tar(tree, stamp, './'));
  return ar(
    [
      ['debian-binary', text('2.0\n')],
      ['control.tar.gz', gzip(tar(members, stamp, './'))],
      [`data.tar${data.ending}`, data.bytes],
    ],
    stamp,
  );
}
