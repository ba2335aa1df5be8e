// Serves from source and starts again whenever a file changes.
import path from 'node:path';
import { ensureWeb } from './build-web.mjs';
import { ensureInstalled, root } from './installed.mjs';
import { launch } from './launch.mjs';

ensureInstalled({ dev: true });
ensureWeb();
launch(['--watch', '--no-clear-screen', path.join(root, 'src', 'main.ts'), 'serve', ...process.argv.slice(2)]);
