// dist/packages: all packages for both architectures, or those of --format and --only; checksums (signed where
// HOSTLER_SIGNING_KEY names a key file), bill of materials and notices. Builds the programs first, unless --programs says where they are.
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';
import { packageFormats, wantedPackages } from './package-formats.mjs';

const args = process.argv.slice(2);
const wanted = wantedPackages(args);
if (typeof wanted === 'string') {
  process.stderr.write(`hostler: ${wanted}\n`);
  process.exit(2);
}
if (args.includes('--help')) {
  process.stdout.write(
    `Usage: npm run package -- [--format ${packageFormats.join(',')}] [--only linux-x64,…] [--out DIR] [--programs DIR]\n`,
  );
  process.exit(0);
}
// The public half of the signing key is built in, so that the check for a newer version can verify the release list.
const signer = process.env.HOSTLER_SIGNING_KEY;
if (signer && !process.env.HOSTLER_RELEASE_KEY)
  process.env.HOSTLER_RELEASE_KEY = createPublicKey(readFileSync(signer)).export({ type: 'spki', format: 'pem' });
ensureInstalled({ dev: true });
if (!args.includes('--programs'))
  for (const [index, target] of wanted.targets.entries()) {
    process.stderr.write(`hostler: building ${target} (${index + 1} of ${wanted.targets.length})\n`);
    run(process.execPath, [path.join('scripts', 'build.mjs'), '--target', target]);
  }
// The last of a repeated option wins there.
const chosen = ['--only', wanted.targets.join(','), '--format', wanted.formats.join(',')];
run(bunPath(), [...bunFlags, path.join('scripts', 'package.ts'), ...args, ...chosen]);

function run(program, given) {
  const { status } = spawnSync(program, given, { cwd: root, stdio: 'inherit', env: cleanEnvironment() });
  if (status !== 0) process.exit(status ?? 1);
}
