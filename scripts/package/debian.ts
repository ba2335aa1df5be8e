import fs from 'node:fs';
import path from 'node:path';
import { gzip } from './archives.ts';
import type { Contents } from './contents.ts';
import type { PackageFacts } from './deb.ts';
import { file, type PackedEntry, text } from './tree.ts';

/** The files that Debian policy requires beside the program. */
export function debianDocuments({ root, version, time }: Contents, { maintainer }: PackageFacts): PackedEntry[] {
  const licence = fs.readFileSync(path.join(root, 'LICENSE'), 'utf8');
  const [, holder = ''] = /^Copyright \(c\) (.*)$/m.exec(licence) ?? [];
  const terms = licence.slice(licence.indexOf('Permission is hereby'));
  const changes = `hostler (${version}-1) unstable; urgency=medium\n\n  * Release ${version}; CHANGELOG.md of the source says what is new.\n\n -- ${maintainer}  ${rfc2822(time)}\n`;
  const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hostler

Files: *
Copyright: ${holder}
License: Expat
Comment: The program carries other software; THIRD-PARTY-NOTICES in this
 directory names all of it with its licences.

License: Expat
${indented(terms)}
`;
  return [
    file('usr/share/doc/hostler/copyright', copyright),
    file('usr/share/doc/hostler/changelog.Debian.gz', gzip(text(changes))),
    file('usr/share/lintian/overrides/hostler', overrides),
  ];
}

const indented = (paragraphs: string) =>
  paragraphs
    .trim()
    .split('\n')
    .map((line) => ` ${line || '.'}`)
    .join('\n');

const rfc2822 = (time: number) => new Date(time * 1000).toUTCString().replace('GMT', '+0000');

/** Nearly all of them concern the runtime, which its vendor ships as one file. */
const overrides = `# The program is the runtime (Bun) with ours in it: one file that is as its makers built it, and would be broken by strip.
hostler: embedded-library *
hostler: unstripped-binary-or-object *
hostler: hardening-no-pie *
hostler: hardening-no-bindnow *
hostler: hardening-no-fortify-functions *
hostler: hardening-no-relro *
hostler: statically-linked-binary *
hostler: spelling-error-in-binary *
# The module "updates" reads what is installed, also of other machines (HOSTLER_ROOT), where no dpkg could be asked. It never writes.
hostler: uses-dpkg-database-directly [usr/bin/hostler]
# Nothing is submitted to Debian.
hostler: initial-upload-closes-no-bugs *
`;
