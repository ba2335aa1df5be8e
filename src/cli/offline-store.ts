import { isolateInThread } from '../app/threads/isolate.ts';
import { version } from '../app/version.ts';
import { createStore, type Store } from '../core/store.ts';
import { allScopes, modules, settingsCatalogue } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import { createLog } from '../lib/log.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { openSettings } from '../settings/settings.ts';

/** The modules read by this process itself, for when no service runs. */
export async function openLocalStore(host: Host, known?: Settings): Promise<Store> {
  const log = createLog((line) => process.stderr.write(line), 'ERROR');
  const settings = known ?? (await openSettings(settingsCatalogue, host, log)).current();
  const context = { version, settings: () => settings, log, passing: true };
  const store = createStore({ modules, host, context, isolate: isolateInThread(context, host.clock) });
  // Whoever runs this can look at the screen as well.
  return { ...store, ...store.seenBy({ scopes: new Set(allScopes) }) };
}
