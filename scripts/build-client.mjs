// dist/client: the client as other projects import it, one plain module and its types.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: false });
const source = path.join('src', 'client', 'client.ts');
const out = path.join('dist', 'client');
const run = (program, args) => {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], env: cleanEnvironment() });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(path.join(root, out), { recursive: true, force: true });
run(bunPath(), [...bunFlags, 'build', '--minify', source, '--outfile', path.join(out, 'client.js')]);

// With the interfaces of browsers only, so that nothing of this runtime slips in. Without the development tools there are no types.
const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
if (existsSync(tsc)) {
  run(tsc, [
    ...['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--outDir', path.join(out, 'types')],
    ...['--rootDir', 'src', '--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ...['--lib', 'esnext,dom', '--types', '', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck'],
    ...['--allowImportingTsExtensions', source],
  ]);
}
