// Serves from source and starts again whenever a file changes.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: true });
const args = [...bunFlags, '--watch', '--no-clear-screen', path.join(root, 'src', 'main.ts'), 'serve'];
const child = spawn(bunPath(), [...args, ...process.argv.slice(2)], { stdio: 'inherit', env: cleanEnvironment() });
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
