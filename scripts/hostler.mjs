#!/usr/bin/env node
// Runs hostler from source: `npm start` is `hostler serve`.
import path from 'node:path';
import { ensureWeb } from './build-web.mjs';
import { ensureInstalled, root } from './installed.mjs';
import { launch } from './launch.mjs';

ensureInstalled({ dev: false });
if (process.argv[2] === 'serve') ensureWeb();
launch([path.join(root, 'src', 'main.ts'), ...process.argv.slice(2)]);
