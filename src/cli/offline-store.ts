import { isolateInThread } from '../app/threads/isolate.ts';
import { version } from '../app/version.ts';
import { createStore, type Store } from '../core/store.ts';
import { allScopes, modules } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import { createLog } from '../lib/log.ts';
import type { SettingsLocks } from '../settings/locks.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { openOwnSettings } from './command-settings.ts';

export interface KnownSettings {
  settings: Settings;
  locks: SettingsLocks | null;
}

/** The modules read by this process, for when no service is running. */
export async function openLocalStore(host: Host, known?: KnownSettings): Promise<Store> {
  const log = createLog((line) => process.stderr.write(line), 'ERROR');
  const { settings, locks } = known ?? (await readSettings(host));
  const context = { version, settings: () => settings, locks: () => locks, log, passing: true };
  const store = createStore({ modules, host, context, isolate: isolateInThread(context, host) });
  // The user of this command can also see the screen.
  return { ...store, ...store.seenBy({ scopes: new Set(allScopes) }) };
}

async function readSettings(host: Host): Promise<KnownSettings> {
  const opened = await openOwnSettings(host, 'ERROR');
  return { settings: opened.current(), locks: opened.locks() };
}
