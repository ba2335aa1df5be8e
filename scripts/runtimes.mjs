// The Bun runtimes for other platforms, from the registry and in the versions of package-lock.json.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './installed.mjs';

/** The values of `--target`: the name that Bun uses, and the package with its runtime. */
export const targets = {
  'linux-x64': { bun: 'bun-linux-x64', package: '@oven/bun-linux-x64', file: 'bun', suffix: '' },
  'linux-arm64': { bun: 'bun-linux-arm64', package: '@oven/bun-linux-aarch64', file: 'bun', suffix: '' },
  'windows-x64': { bun: 'bun-windows-x64', package: '@oven/bun-windows-x64', file: 'bun.exe', suffix: '.exe' },
  'windows-arm64': { bun: 'bun-windows-arm64', package: '@oven/bun-windows-aarch64', file: 'bun.exe', suffix: '.exe' },
};

/** The runtime for a target: from node_modules for this machine, else fetched once and cached in .cache/runtimes. */
export function runtimeFor({ package: name, file }) {
  const installed = path.join(root, 'node_modules', name, 'bin', file);
  if (existsSync(installed)) return installed;
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json does not name ${name}`);
  const kept = path.join(root, '.cache', 'runtimes', `${path.basename(name)}-${locked.version}`);
  const runtime = path.join(kept, 'package', 'bin', file);
  if (!existsSync(runtime)) fetchPackage(`${name}@${locked.version}`, locked.integrity, kept);
  return runtime;
}

function fetchPackage(what, integrity, directory) {
  process.stderr.write(`hostler: fetching ${what} from the npm registry\n`);
  mkdirSync(path.dirname(directory), { recursive: true });
  const scratch = mkdtempSync(`${directory}.`);
  try {
    run('npm', ['pack', what, '--silent', '--pack-destination', scratch]);
    const archive = path.join(scratch, readdirSync(scratch)[0] ?? '');
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (integrity !== undefined && found !== integrity)
      throw new Error(`${what} is not what package-lock.json names: ${found} instead of ${integrity}`);
    run('tar', ['-xzf', archive, '-C', scratch]);
    rmSync(archive);
    rmSync(directory, { recursive: true, force: true });
    renameSync(scratch, directory);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? `exit code ${status}`}`);
}
