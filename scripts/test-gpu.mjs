// Compares every field of the module gpus with nvidia-smi, on a machine with an NVIDIA GPU. With --compiled it uses
// dist/hostler, like `hostler self-test gpu` on any machine.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: false });
const args = process.argv.slice(2);
const compiled = args.includes('--compiled');
const [program, ...before] = compiled
  ? [path.join(root, 'dist', 'hostler')]
  : [bunPath(), ...bunFlags, path.join(root, 'src', 'main.ts')];
const rest = args.filter((arg) => arg !== '--compiled');
const result = spawnSync(program, [...before, 'self-test', 'gpu', ...rest], {
  stdio: 'inherit',
  env: cleanEnvironment(),
});
process.exit(result.status ?? 1);
