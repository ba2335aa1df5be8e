// Installs dependencies on demand: every npm script works in a fresh clone, and costs one file comparison afterwards.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const stamp = path.join(root, 'node_modules', '.hostler-installed');

const lockFile = path.join(root, 'package-lock.json');

/** An installed package has all dependencies and no lock file: npm never packs one. */
export const isClone = () => existsSync(lockFile);

/** Installs the dependencies of package-lock.json unless that was done already. `dev` includes the tools for building and testing. */
export function ensureInstalled({ dev }) {
  if (!isClone()) return;
  const lock = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const [installed, kind] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : [];
  // Installed development tools stay installed.
  const tools = dev || kind === 'dev';
  if (installed === lock && (kind === 'dev' || !dev)) return;
  process.stderr.write(`hostler: installing dependencies${tools ? ' and development tools' : ''} (npm ci)\n`);
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', tools ? '--include=dev' : '--omit=dev'];
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    process.stderr.write(
      'hostler: npm ci failed; the lines above say why. Check the network and the npm registry, then try again.\n',
    );
    process.exit(1);
  }
  writeFileSync(stamp, `${lock} ${tools ? 'dev' : 'run'}`);
}

/** The Bun binary: where its postinstall put it, or in its package if install scripts were forbidden. */
export function bunPath() {
  for (const candidate of modulesAbove().flatMap(binariesIn)) {
    if (isExecutable(candidate) && spawnSync(candidate, ['--version'], { stdio: 'ignore' }).status === 0)
      return candidate;
  }
  process.stderr.write(
    'hostler: no Bun binary for this platform in node_modules. Remove node_modules and try again.\n',
  );
  return process.exit(1);
}

/** Where packages may be: beside our sources, or beside this package. Other folders above may belong to other users. */
function modulesAbove() {
  const above = [];
  for (let folder = root; above.at(-1) !== folder; folder = path.dirname(folder)) above.push(folder);
  return above
    .map((folder) => path.join(folder, 'node_modules'))
    .filter((folder, index) => (index === 0 || root.startsWith(folder + path.sep)) && existsSync(folder));
}

function binariesIn(modules) {
  const scope = path.join(modules, '@oven');
  const packages = existsSync(scope) ? readdirSync(scope) : [];
  return [
    path.join(modules, 'bun', 'bin', 'bun.exe'),
    ...packages.flatMap((name) => ['bun', 'bun.exe'].map((file) => path.join(scope, name, 'bin', file))),
  ];
}

/** Bun reads .env and bunfig.toml of the working directory, preload code included, unless disabled. */
export const bunFlags = ['--no-env-file', '--config=/dev/null'];

export function cleanEnvironment() {
  const { BUN_OPTIONS: _options, BUN_BE_BUN: _self, ...environment } = process.env;
  return environment;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
