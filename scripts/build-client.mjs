// dist/client: the client as the package hostler-client: one plain module, the same for Node, and their types.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: false });

const out = path.join('dist', 'client');
const run = (program, args) => {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], env: cleanEnvironment() });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(path.join(root, out), { recursive: true, force: true });
for (const name of ['client', 'node']) {
  const entry = path.join('packages', 'client', 'src', `${name}.ts`);
  run(bunPath(), [...bunFlags, 'build', '--minify', entry, '--outfile', path.join(out, `${name}.js`)]);
}

const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const types = './types/client.d.ts';
const description = {
  name: 'hostler-client',
  version,
  description: 'A client for Hostler: the state of a machine, pushed, and everything that can be done on it',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: {
    '.': {
      types,
      bun: './client.js',
      deno: './client.js',
      browser: './client.js',
      node: './node.js',
      default: './client.js',
    },
  },
  types,
};
writeFileSync(path.join(root, out, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
copyFileSync(path.join(root, 'LICENSE'), path.join(root, out, 'LICENSE'));
copyFileSync(path.join(root, 'packages', 'client', 'README.md'), path.join(root, out, 'README.md'));

// With browser types only, so that no runtime interface slips in. Without the development tools there are no types.
const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
if (existsSync(tsc)) {
  run(tsc, [
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    path.join(out, 'types'),
    '--rootDir',
    path.join('packages', 'client', 'src'),
    '--target',
    'esnext',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'esnext,dom',
    '--types',
    '',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    path.join('packages', 'client', 'src', 'client.ts'),
  ]);
}
