// Writes docs/openapi.json and docs/api.md from the schemas; with --check only reports whether they are current.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: true });
// However it was started, documents use the usual name of the command.
const env = { ...cleanEnvironment(), HOSTLER_COMMAND: 'hostler' };
const args = [...bunFlags, path.join('scripts', 'generate.ts'), ...process.argv.slice(2)];
process.exit(spawnSync(bunPath(), args, { cwd: root, stdio: 'inherit', env }).status ?? 1);
