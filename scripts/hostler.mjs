#!/usr/bin/env node
// Runs hostler from source: `npm start` is `hostler serve`.
import path from 'node:path';
import { ensureInstalled, root } from './installed.mjs';
import { launch } from './launch.mjs';

ensureInstalled({ dev: false });
launch([path.join(root, 'src', 'main.ts'), ...process.argv.slice(2)]);
