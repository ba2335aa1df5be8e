// Formats the code and applies safe fixes.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: true });
const biome = path.join(root, 'node_modules', '.bin', 'biome');
process.exit(spawnSync(biome, ['check', '--write', '.'], { cwd: root, stdio: 'inherit' }).status ?? 1);
