import { parentPort, workerData } from 'node:worker_threads';
import { serveThread, type ToThread } from './core/isolated.ts';
import { createHost } from './host/create-host.ts';
import { createLog } from './lib/log.ts';
import { currentPlatform } from './lib/platform.ts';
import { modules } from './modules/index.ts';
import { defaultSettings } from './settings/settings.defaults.ts';
import type { Settings } from './settings/settings.schema.ts';
import { version } from './version.ts';

/** A thread that reads one module; see isolate.ts. */
const definition = modules.find(({ name }) => name === workerData.module);
const load = currentPlatform === null ? undefined : definition?.sources[currentPlatform];
if (parentPort === null || load === undefined) throw new Error(`no module ${workerData.module} to read in a thread`);

const port = parentPort;
const state: { settings: Settings } = { settings: defaultSettings };
const log = createLog((line) => process.stderr.write(line), 'INFO');
const source = (await load())(createHost(version, currentPlatform), { version, log, settings: () => state.settings });
const receive = serveThread(
  source,
  (message) => port.postMessage(message),
  (settings) => {
    state.settings = settings;
  },
);
port.on('message', async (message: ToThread) => {
  await receive(message);
  if (message.kind === 'end') port.close();
});
