import fs from 'node:fs';
import path from 'node:path';
import { printCompletion } from '../../src/cli/completion.ts';
import { createProgram } from '../../src/cli/program.ts';
import { gzip } from './archives.ts';
import { type Carried, softwareBill, thirdPartyNotices } from './bill.ts';
import { packedPage, pages } from './documents.ts';
import { manPage } from './man.ts';
import { file, type PackedEntry, text } from './tree.ts';

export interface Contents {
  version: string;
  time: number;
  /** Where the repository is. */
  root: string;
  carried: readonly Carried[];
}

/** The files beside the program in every package, below a prefix such as `usr/`: documents, icons, completions, the man page. */
export function shared({ version, time, root, carried }: Contents, prefix: string): PackedEntry[] {
  const at = (place: string) => `${prefix}share/${place}`;
  const read = (...place: string[]) => fs.readFileSync(path.join(root, ...place));
  return [
    file(at('man/man1/hostler.1.gz'), gzip(text(manPage(createProgram(), version, time)))),
    file(at('bash-completion/completions/hostler'), completion('bash')),
    file(at('fish/vendor_completions.d/hostler.fish'), completion('fish')),
    file(at('applications/hostler.desktop'), read('deploy', 'package', 'hostler.desktop')),
    file(at('icons/hicolor/scalable/apps/hostler.svg'), read('web', 'icon.svg')),
    file(at('icons/hicolor/192x192/apps/hostler.png'), read('web', 'static', 'icon-192.png')),
    file(at('icons/hicolor/512x512/apps/hostler.png'), read('web', 'static', 'icon-512.png')),
    file(at('doc/hostler/README.md.gz'), gzip(text(packedPage(root, 'README.md')))),
    ...pages(root, at('doc/hostler/')),
    ...legal({ version, time, root, carried }).map((entry) => ({ ...entry, path: at(`doc/hostler/${entry.path}`) })),
  ];
}

/** The files that must accompany every copy. */
export function legal({ version, time, root, carried }: Contents): PackedEntry[] {
  const runtime = fs.readFileSync(path.join(root, 'deploy', 'package', 'bun-licences.txt'), 'utf8');
  return [
    file('THIRD-PARTY-NOTICES', thirdPartyNotices(carried, runtime)),
    file('hostler.cdx.json', softwareBill(version, carried, time)),
  ];
}

/** Of systemd and udev. */
export function integration({ root }: Contents): PackedEntry[] {
  const read = (...place: string[]) => fs.readFileSync(path.join(root, 'deploy', ...place));
  return [
    file('usr/lib/systemd/user/hostler.service', read('systemd', 'user', 'hostler.service')),
    file('usr/lib/systemd/system/hostler.service', read('systemd', 'system', 'hostler.service')),
    file('usr/lib/systemd/user-preset/90-hostler.preset', read('package', 'preset')),
    file('usr/lib/systemd/system-preset/90-hostler.preset', read('package', 'preset')),
    file('usr/lib/sysusers.d/hostler.conf', read('systemd', 'sysusers.d', 'hostler.conf')),
    file('usr/lib/udev/rules.d/60-hostler.rules', read('package', '60-hostler.rules')),
  ];
}

export function zshCompletion(place: string): PackedEntry {
  return file(place, completion('zsh'));
}

function completion(shell: string): string {
  const lines: string[] = [];
  const context = { print: (line: string) => void lines.push(line) };
  printCompletion(context, shell);
  return `${lines.join('\n')}\n`;
}
