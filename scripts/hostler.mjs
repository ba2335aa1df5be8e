#!/usr/bin/env node
// Runs hostler from source: `npm start` is `hostler serve`.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: false });
const child = spawn(bunPath(), [...bunFlags, path.join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    HOSTLER_COMMAND: process.env.npm_lifecycle_event ? 'npm run -s hostler --' : 'hostler',
    ...cleanEnvironment(),
  },
});
// Ctrl-C reaches the child by itself (same process group); what was sent to this process alone is passed on.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`hostler: cannot start Bun: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
