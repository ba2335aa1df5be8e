// What a package holds beside its sources: the dashboard, built, and the client. npm runs it before it packs.
import { ensureWeb } from './build-web.mjs';
import { ensureInstalled } from './installed.mjs';

ensureInstalled({ dev: true });
ensureWeb();
await import('./build-client.mjs');
