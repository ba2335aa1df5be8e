// dist/packages: .deb, .rpm, Arch, .tar.gz and zip for both architectures, checksums (signed where HOSTLER_SIGNING_KEY names a
// key file), bill of materials and notices. Builds the programs first, unless --programs says where they are.
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';
import { targets } from './runtimes.mjs';

const args = process.argv.slice(2);
// The public half of the signing key is built in, so that the check for a newer version can verify the release list.
const signer = process.env.HOSTLER_SIGNING_KEY;
if (signer && !process.env.HOSTLER_RELEASE_KEY)
  process.env.HOSTLER_RELEASE_KEY = createPublicKey(readFileSync(signer)).export({ type: 'spki', format: 'pem' });
ensureInstalled({ dev: true });
const only = args.includes('--only') ? args[args.indexOf('--only') + 1].split(',') : Object.keys(targets);
if (!args.includes('--programs'))
  for (const target of only) run(process.execPath, [path.join('scripts', 'build.mjs'), '--target', target]);
run(bunPath(), [...bunFlags, path.join('scripts', 'package.ts'), ...args]);

function run(program, given) {
  const { status } = spawnSync(program, given, { cwd: root, stdio: 'inherit', env: cleanEnvironment() });
  if (status !== 0) process.exit(status ?? 1);
}
