// Builds what a package contains beside its sources: the dashboard and the client. npm runs it before it packs.
import { ensureWeb } from './build-web.mjs';
import { ensureInstalled } from './installed.mjs';

ensureInstalled({ dev: true });
ensureWeb();
await import('./build-client.mjs');
