import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CodeSigning, signingCommand } from './authenticode.ts';
import type { Contents } from './contents.ts';
import type { PackedEntry } from './tree.ts';

export interface InstallerParts {
  contents: Contents;
  architecture: 'x64' | 'arm64';
  /** As in the zip. */
  entries: readonly PackedEntry[];
  signing: CodeSigning | null;
  packing: 'best' | 'quick' | 'none';
}

/** The installer of deploy/package/windows, made by makensis. */
export function windowsInstaller(parts: InstallerParts): Uint8Array {
  const { contents, entries, signing, packing } = parts;
  const { root, time } = contents;
  return inScratch(entries, contents, (scratch) => {
    const quoted = signing === null ? '' : shellCommand(signingCommand(signing, time, '%1', '%1.signed'));
    fs.writeFileSync(path.join(scratch, 'contents.nsh'), `\ufeff${contentsScript(parts, quoted)}`);
    const source = path.join(root, 'deploy', 'package', 'windows');
    fs.copyFileSync(path.join(source, 'hostler.nsi'), path.join(scratch, 'hostler.nsi'));
    runTool('makensis', 'nsis', ['-V2', '-WX', ...compressors[packing], 'hostler.nsi'], scratch, time);
    return fs.readFileSync(path.join(scratch, 'hostler-setup.exe'));
  });
}

/** With the best one, a window of 192 MB: 6 minutes of CPU time and 2.1 GB of memory. */
const compressors = {
  best: ['-XSetCompressor /SOLID lzma', '-XSetCompressorDictSize 192'],
  quick: ['-XSetCompressor zlib'],
  none: ['-XSetCompress off'],
};

/** What hostler.nsi includes: the version, and each file by its name, so that removing deletes nothing else. */
function contentsScript({ contents: { version }, architecture, entries }: InstallerParts, sign: string): string {
  const files = entries.map(({ path: name }) => name.replaceAll('/', '\\'));
  const folders = [...new Set(files.flatMap(foldersAbove))].sort().reverse();
  const bytes = entries.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  const added = [...new Set(files.map((name) => path.win32.dirname(name)))].flatMap((folder) => [
    `  SetOutPath "$INSTDIR${folder === '.' ? '' : `\\${folder}`}"`,
    ...files
      .filter((name) => path.win32.dirname(name) === folder)
      .map((name) => `  File "tree/${name.replaceAll('\\', '/')}"`),
  ]);
  return [
    `!define VERSION "${version}"`,
    `!define NUMBERS "${numericVersion(version)}.0"`,
    `!define ARCHITECTURE ${architecture}`,
    `!define SIZE ${Math.ceil(bytes / 1024)}`,
    ...(sign === '' ? [] : [`!uninstfinalize '${sign} && mv "%1.signed" "%1"' = 0`]),
    '!macro ADD_FILES',
    ...added,
    '!macroend',
    '!macro REMOVE_FILES',
    ...files.filter((name) => !name.endsWith('.exe')).map((name) => `  Delete "$INSTDIR\\${name}"`),
    ...folders.map((folder) => `  RMDir "$INSTDIR\\${folder}"`),
    '!macroend',
    '',
  ].join('\n');
}

/** Windows has no place for what follows the three numbers. */
export const numericVersion = (version: string) => /^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '0.0.0';

function foldersAbove(name: string): string[] {
  const parts = name.split('\\').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('\\'));
}

/** makensis gives the command to a shell; it replaces %1, also within quotes. */
const shellCommand = (words: readonly string[]) =>
  words.map((word) => `"${word.replaceAll(/["$`\\]/g, '\\$&')}"`).join(' ');

/** Runs `work` in a folder that holds the entries in `tree`, with the time of the release, and the icon. */
export function inScratch<T>(
  entries: readonly PackedEntry[],
  { root, time }: Contents,
  work: (scratch: string) => T,
): T {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-installer-'));
  try {
    for (const { path: name, data } of entries) {
      const file = path.join(scratch, 'tree', name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, data ?? '');
      fs.utimesSync(file, time, time);
    }
    fs.copyFileSync(path.join(root, 'web', 'icon.ico'), path.join(scratch, 'hostler.ico'));
    return work(scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

export function runTool(program: string, debianPackage: string, args: string[], cwd: string, time: number): void {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time), TZ: 'UTC' };
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', env });
  if (done.error !== undefined)
    throw new Error(`${program} (Debian package ${debianPackage}) is not installed; --format chooses other packages`);
  if (done.status !== 0) throw new Error(`${program} fails: ${`${done.stdout}${done.stderr}`.trim()}`);
}
