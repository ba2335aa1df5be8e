import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
// @ts-expect-error: a script of Node without types
import { windowsUnitFiles } from '../../../scripts/windows-units.mjs';
import { root } from './service.ts';
import { enterArguments, wineTree } from './wine-tree.ts';

/** The unit tests on the Windows runtime: all tests beside the code that are not for Linux, in one run under Wine. Those in test/ check the repository. */

export interface UnitFiles {
  run: string[];
  /** With the reason of each. */
  leftOut: { file: string; reason: string }[];
}

export function chooseUnitFiles(): UnitFiles {
  const all: { file: string; reason: string | null }[] = windowsUnitFiles();
  return {
    run: all.flatMap(({ file, reason }) => (reason === null ? [file] : [])),
    leftOut: all.flatMap(({ file, reason }) => (reason === null ? [] : [{ file, reason }])),
  };
}

export interface UnitResult {
  /** null: the run did not finish. */
  counts: { tests: number; failures: number; skipped: number } | null;
  output: string;
}

/** Wine does not let the runtime read directories that are mounted below C:, so the files are copied; as links, where that is possible. */
const needed = [
  'src',
  'packages',
  'test',
  'web',
  'scripts',
  'docs',
  'deploy',
  'package.json',
  'tsconfig.json',
  'node_modules',
];

export async function runUnitsInWine(files: string[], limitMs: number): Promise<UnitResult> {
  const layer = fs.mkdtempSync(`${wineTree}-layer-`);
  const copy = path.join(layer, 'files', 'drive_c', 'src');
  for (const name of [copy, path.join(layer, 'changes'), path.join(layer, 'work')])
    fs.mkdirSync(name, { recursive: true });
  try {
    copyTree(copy);
    const overlay = `lowerdir=${layer}/files:$0/w/pfx,upperdir=${layer}/changes,workdir=${layer}/work`;
    const mounts = [
      `mount -t overlay pfx -o ${overlay} "$0/w/pfx"`,
      'mkdir -p "$0/w/pfx/drive_c/bun"',
      `mount --bind ${JSON.stringify(path.dirname(windowsRuntime()))} "$0/w/pfx/drive_c/bun"`,
    ];
    const flags = '--no-env-file test --timeout=60000 --reporter=junit --reporter-outfile=C:\\\\units.xml';
    const script = `cd /w/pfx/drive_c/src && exec wine C:\\\\bun\\\\bun.exe ${flags} ${files.map((file) => `./${file}`).join(' ')}`;
    const child = spawn('unshare', enterArguments(wineTree, script, { mounts }), { stdio: ['ignore', 'pipe', 'pipe'] });
    const pieces: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => pieces.push(String(chunk)));
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    await new Promise((resolve) => child.once('exit', resolve));
    clearTimeout(timer);
    return { counts: readCounts(path.join(layer, 'changes', 'drive_c', 'units.xml')), output: pieces.join('') };
  } finally {
    fs.rmSync(layer, { recursive: true, force: true });
  }
}

function copyTree(target: string): void {
  const sources = needed.map((name) => path.join(root, name));
  try {
    execFileSync('cp', ['-al', ...sources, target], { stdio: 'ignore' });
  } catch {
    // Another file system: links do not reach it.
    execFileSync('cp', ['-a', ...sources, target]);
  }
}

function windowsRuntime(): string {
  const target = process.arch === 'arm64' ? 'windows-arm64' : 'windows-x64';
  const script = `const { runtimeFor, targets } = await import('./scripts/runtimes.mjs'); console.log(runtimeFor(targets['${target}']))`;
  const output = execFileSync('node', ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  return output.trim().split('\n').at(-1) ?? '';
}

function readCounts(file: string): UnitResult['counts'] {
  if (!fs.existsSync(file)) return null;
  const [, attributes = ''] = /<testsuites\b([^>]*)>/.exec(fs.readFileSync(file, 'utf8')) ?? [];
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  return { tests: number('tests'), failures: number('failures') + number('errors'), skipped: number('skipped') };
}
