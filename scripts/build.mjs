// dist/hostler: one file with the runtime and everything else in it, for machines without Node or npm. And dist/client.
// --target names another platform: dist/hostler-windows-x64/hostler.exe and so on. All other arguments go to the bundler.
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureWeb } from './build-web.mjs';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';
import { runtimeFor, targets } from './runtimes.mjs';

const platforms = ['linux', 'windows', 'darwin'];
const platformHere = process.platform === 'win32' ? 'windows' : process.platform;
const { target, rest } = readArguments(process.argv.slice(2));
ensureInstalled({ dev: true });
ensureWeb();
if (target === null) {
  compile(path.join(root, 'dist', 'hostler'), platformHere, rest);
  await import('./build-client.mjs');
} else {
  const { bun, suffix } = targets[target];
  const directory = path.join(root, 'dist', `hostler-${target}`);
  const runtime = await lookingLikeUs(runtimeFor(targets[target]));
  const flags = [`--target=${bun}`, `--compile-executable-path=${runtime}`, ...rest];
  compile(path.join(directory, `hostler${suffix}`), target.split('-')[0], flags);
}

function compile(outfile, platform, flags) {
  mkdirSync(path.dirname(outfile), { recursive: true });
  rmSync(outfile, { force: true });
  const result = spawnSync(
    bunPath(),
    [
      ...bunFlags,
      'build',
      '--compile',
      '--minify',
      // Bytecode, split into chunks that are loaded on demand: a third of the start time, and 10 MB less.
      '--bytecode',
      '--splitting',
      '--format=esm',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      ...foreignFlags(platform),
      ...releaseKeyFlags(),
      path.join('src', 'main.ts'),
      path.join('src', 'app', 'threads', 'thread.ts'),
      path.join('dist', 'web.pack'),
      '--asset-naming=[name].[ext]',
      // Threads are started by their paths below it; the pack is in another folder, and would change it.
      '--root=src',
      '--entry-naming=[name].[ext]',
      '--outfile',
      outfile,
      ...flags,
    ],
    { cwd: root, stdio: ['ignore', 2, 2], env: cleanEnvironment() },
  );
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * Excludes code that only another platform loads: a twelfth of the code in a program for Linux, a third in one for Windows. Such a file says so in
 * its name and is loaded when it is needed, never before (test/architecture.test.ts).
 */
function foreignFlags(platform) {
  const others = platforms.filter((each) => each !== platform).join('|');
  const isForeign = new RegExp(`(?:^|/)(?:${others})/|\\.(?:${others})\\.`);
  const source = path.join(root, 'src');
  const foreign = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !isForeign.test(file.replaceAll(path.sep, '/')))
    .flatMap((file) => [...readFileSync(path.join(source, file), 'utf8').matchAll(/\bimport\('([^']+)'\)/g)])
    .flatMap(([, specifier = '']) => (isForeign.test(specifier) ? [specifier.replace(/^[./]+/, '*/')] : []));
  return [...new Set(foreign)].sort().map((pattern) => `--external=${pattern}`);
}

/** The key that the release list is verified with, as PEM or as its 32 bytes in base64. */
function releaseKeyFlags() {
  const given = process.env.HOSTLER_RELEASE_KEY;
  if (!given) return [];
  const bytes = given.includes('-----BEGIN')
    ? createPublicKey(given).export({ type: 'spki', format: 'der' }).subarray(-32)
    : Buffer.from(given, 'base64');
  if (bytes.length !== 32) {
    process.stderr.write(
      'hostler: HOSTLER_RELEASE_KEY must be an Ed25519 public key, as PEM or as 32 bytes in base64\n',
    );
    process.exit(2);
  }
  return ['--define', `HOSTLER_RELEASE_KEY=${JSON.stringify(bytes.toString('base64'))}`];
}

/** Only Windows shows the name and the icon of a program. */
async function lookingLikeUs(runtime) {
  if (!runtime.endsWith('.exe')) return runtime;
  const { dressed } = await import('./windows-resources.mjs');
  return dressed(runtime, path.join(root, '.cache', 'runtimes', `${target}-dressed`, 'bun.exe'));
}

function readArguments(args) {
  const at = args.findIndex((argument) => argument === '--target' || argument.startsWith('--target='));
  if (at === -1) return { target: null, rest: args };
  const [, value] = /^--target=(.*)$/.exec(args[at]) ?? [];
  const named = value ?? args[at + 1];
  if (!Object.hasOwn(targets, named ?? '')) {
    process.stderr.write(`hostler: --target must be one of ${Object.keys(targets).join(', ')}\n`);
    process.exit(2);
  }
  return { target: named, rest: args.toSpliced(at, value === undefined ? 2 : 1) };
}
