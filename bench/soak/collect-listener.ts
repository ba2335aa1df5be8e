import { startThread } from '../../src/app/threads/start-thread.ts';

/** Every module listened to, once a second: what a transport that pushes does. Its arguments are mounts to be shown. Writes how often each was pushed. */

import { isolateInThread } from '../../src/app/threads/isolate.ts';
import { version } from '../../src/app/version.ts';
import { createStore } from '../../src/core/store.ts';
import { defaultSettings, modules } from '../../src/features/index.ts';
import { createHost } from '../../src/host/create-host.ts';
import { createLog } from '../../src/lib/log.ts';
import { currentPlatform } from '../../src/lib/platform.ts';

const everyMs = 1000;
const settings = {
  ...defaultSettings,
  disks: { allowedSecondaryMountPoints: process.argv.slice(2) },
  modules: Object.fromEntries(modules.map(({ name }) => [name, { interval: everyMs }])),
};
const log = createLog((line) => process.stderr.write(line), 'INFO');
const context = { version, settings: () => settings, locks: () => null, log };
const host = await createHost(version, currentPlatform, startThread);
const store = createStore({ modules, host, context, isolate: isolateInThread(context, host) });
const pushes = new Map<string, number>();
for (const name of store.names) store.listen(name, () => pushes.set(name, (pushes.get(name) ?? 0) + 1));
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error) => log.error('uncaught error', error));
setInterval(() => process.stdout.write(`pushes ${JSON.stringify(Object.fromEntries(pushes))}\n`), 10_000);
process.on('SIGTERM', async () => {
  store.close();
  await host.close();
  process.exit(0);
});
process.stdout.write('listening on everything\n');
