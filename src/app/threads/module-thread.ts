import { serveThread, type ToModuleThread } from '../../core/isolated-source.ts';
import { loadFor } from '../../core/platform.ts';
import { defaultSettings, modules } from '../../features/index.ts';
import { createHost } from '../../host/create-host.ts';
import { createLog } from '../../lib/log.ts';
import { currentPlatform } from '../../lib/platform.ts';
import type { ThreadJob } from '../../lib/thread.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { version } from '../version.ts';
import { startThread } from './start-thread.ts';

/** Reads one module in its own thread; see isolate.ts. */
export const readModuleInThread: ThreadJob = async (post, name) => {
  const host = await createHost(version, currentPlatform, startThread);
  const create = await loadFor(host, modules.find((definition) => definition.name === name)?.sources ?? {});
  if (create === null) throw new Error(`no module ${name} to read in a thread`);
  const state: { settings: Settings } = { settings: defaultSettings };
  const log = createLog((line) => process.stderr.write(line), 'INFO');
  // Threads get settings without locks: no module that is read in one has an override in the environment.
  const source = create({ version, log, settings: () => state.settings, locks: () => null });
  const { receive, end } = serveThread(
    source,
    post,
    (settings) => {
      state.settings = settings;
    },
    host.clock.cpu,
  );
  return { receive: (message) => receive(message as ToModuleThread), end };
};
