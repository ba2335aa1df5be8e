// The integration in a real Home Assistant, installed in a directory: npm run test:home-assistant -- DIR
import path from 'node:path';
import { ensureInstalled, root } from './installed.mjs';
import { launch } from './launch.mjs';

ensureInstalled({ dev: true });
launch([path.join(root, 'test', 'home-assistant', 'main.ts'), ...process.argv.slice(2)]);
