import fs from 'node:fs';
import path from 'node:path';
import { archPackage } from './arch.ts';
import { gzip, tar, zip } from './archives.ts';
import { type CodeSigning, signedProgram } from './authenticode.ts';
import { stored, xz, zstd } from './compress.ts';
import { type Contents, integration, legal, shared, zshCompletion } from './contents.ts';
import { deb, type PackageFacts } from './deb.ts';
import { debianDocuments } from './debian.ts';
import { windowsPages } from './documents.ts';
import { windowsInstaller } from './installer.ts';
import { windowsMsi } from './msi.ts';
import { rpm } from './rpm.ts';
import { file, type PackedEntry } from './tree.ts';

/** The names of the two architectures in each kind of package. */
export const architectures = {
  x64: { deb: 'amd64', rpm: 'x86_64', arch: 'x86_64' },
  arm64: { deb: 'arm64', rpm: 'aarch64', arch: 'aarch64' },
} as const;

export type Architecture = keyof typeof architectures;

export interface PackingOptions {
  /** For tests: weakly compressed, or, for a .deb, not at all. */
  packing: 'best' | 'quick' | 'none';
  /** Such as `deb`; null: all of them. */
  formats: readonly string[] | null;
  /** Gets a line for each package before and after it is made. */
  report(sentence: string): void;
}

/** All packages for Linux on one architecture, by the names of their files. */
export async function linuxPackages(
  contents: Contents,
  facts: PackageFacts,
  architecture: Architecture,
  program: Uint8Array,
  { packing, formats, report }: PackingOptions,
): Promise<Record<string, Uint8Array>> {
  const { version, root } = contents;
  const names = architectures[architecture];
  const read = (...place: string[]) => fs.readFileSync(path.join(root, 'deploy', 'package', ...place), 'utf8');
  const common: PackedEntry[] = [
    file('usr/bin/hostler', program, 0o755),
    ...shared(contents, 'usr/'),
    ...integration(contents),
  ];
  const forDebian = [
    ...common,
    ...debianDocuments(contents, facts),
    zshCompletion('usr/share/zsh/vendor-completions/_hostler'),
  ];
  const licence = file('usr/share/licenses/hostler/LICENSE', fs.readFileSync(path.join(root, 'LICENSE')));
  const forOthers = [...common, licence, zshCompletion('usr/share/zsh/site-functions/_hostler')];
  const debianScripts = Object.fromEntries(['postinst', 'prerm', 'postrm'].map((name) => [name, read('debian', name)]));
  const rpmScripts = { post: read('rpm', 'post'), preun: read('rpm', 'preun'), postun: read('rpm', 'postun') };
  const quick = packing !== 'best';
  const packed = xz(quick ? 0 : 9, architecture);
  const makers: Record<string, readonly [name: string, make: () => Promise<Uint8Array>]> = {
    deb: [
      `hostler_${version}-1_${names.deb}.deb`,
      () => deb(facts, names.deb, forDebian, debianScripts, contents, packing === 'none' ? stored : packed),
    ],
    rpm: [
      `hostler-${version}-1.${names.rpm}.rpm`,
      () => rpm(facts, names.rpm, forOthers, rpmScripts, contents, packed),
    ],
    arch: [
      `hostler-${version}-1-${names.arch}.pkg.tar.zst`,
      () => archPackage(facts, names.arch, forOthers, read('arch', 'hostler.install'), contents, zstd(quick ? 1 : 19)),
    ],
    'tar.gz': [
      `hostler-${version}-linux-${architecture}.tar.gz`,
      async () => portable(contents, architecture, program),
    ],
  };
  const wanted = Object.entries(makers).filter(([format]) => formats?.includes(format) ?? true);
  const made = wanted.map(async ([, [name, make]]) => {
    report(`${name} …`);
    const since = performance.now();
    const tick = setInterval(() => report(`${name}: ${secondsSince(since)}`), reportEveryMs);
    const bytes = await make().finally(() => clearInterval(tick));
    report(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB after ${secondsSince(since)}`);
    return [name, bytes] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}

const reportEveryMs = 30_000;
const secondsSince = (since: number) => `${Math.round((performance.now() - since) / 1000)} s`;

/** For every other system: unpack it, and run install.sh. */
function portable(contents: Contents, architecture: Architecture, program: Uint8Array): Uint8Array {
  const { root, version } = contents;
  const entries = [
    file('install.sh', fs.readFileSync(path.join(root, 'deploy', 'package', 'install.sh')), 0o755),
    file('LICENSE', fs.readFileSync(path.join(root, 'LICENSE'))),
    file('bin/hostler', program, 0o755),
    ...shared(contents, ''),
    zshCompletion('share/zsh/site-functions/_hostler'),
  ];
  const top = `hostler-${version}-linux-${architecture}/`;
  return gzip(
    tar(
      entries.map((entry) => ({ ...entry, path: `${top}${entry.path}` })),
      contents,
    ),
  );
}

/** What the zip, the installer and the MSI contain. */
export function windowsEntries(contents: Contents, program: Uint8Array): PackedEntry[] {
  const { root } = contents;
  return [
    file('hostler.exe', program, 0o755),
    file('LICENSE.txt', fs.readFileSync(path.join(root, 'LICENSE'))),
    ...windowsPages(root),
    ...legal(contents),
  ];
}

/** Packages for Windows on one architecture, by the names of their files. */
export function windowsPackages(
  contents: Contents,
  architecture: Architecture,
  program: Uint8Array,
  { packing, formats, report }: PackingOptions,
  signing: CodeSigning | null,
): Record<string, Uint8Array> {
  const sign = (bytes: Uint8Array) => (signing === null ? bytes : signedProgram(bytes, signing, contents.time));
  const entries = windowsEntries(contents, sign(program));
  const parts = { contents, architecture, entries, signing, packing };
  const name = `hostler-${contents.version}-windows-${architecture}`;
  const makers: Record<string, readonly [name: string, make: () => Uint8Array]> = {
    zip: [`${name}.zip`, () => zip(entries, contents)],
    exe: [`${name}-setup.exe`, () => sign(windowsInstaller(parts))],
    msi: [`${name}.msi`, () => sign(windowsMsi(parts))],
  };
  const wanted = Object.entries(makers).filter(([format]) => formats?.includes(format) ?? true);
  return Object.fromEntries(
    wanted.map(([, [file, make]]) => {
      report(`${file} …`);
      return [file, make()];
    }),
  );
}
