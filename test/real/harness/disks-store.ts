/** A store of a few modules, queried line by line: a separate process, for a private mount namespace. */

import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createTerminal } from '../../../src/cli/terminal.ts';
import { createStore } from '../../../src/core/store.ts';
import { disks } from '../../../src/features/disks/disks.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { memory } from '../../../src/features/memory/memory.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';

const allowed = process.argv.slice(2);
const settings = {
  ...defaultSettings,
  disks: { allowedSecondaryMountPoints: allowed },
  // Only announced changes are pushed.
  modules: { disks: { interval: 86_400_000 } },
};
const host = createLinuxHost('6.0.0', startThread);
const store = createStore({
  modules: [disks.module, memory.module],
  host,
  context: fakeContext({ settings: () => settings }),
});
// Flushes before this process ends, also if it is more than a pipe buffer.
const { print } = createTerminal();
const say = (message: unknown) => print(JSON.stringify(message));

const requests: Record<string, () => unknown> = {
  disks: async () => (await store.get('disks')).payload,
  memory: async () => (await store.get('memory')).payload,
  reasons: async () => (await store.describe()).find(({ name }) => name === 'disks')?.reasons,
  listen() {
    store.listen('disks', ({ payload }) => say({ pushed: payload }));
    return null;
  },
  /** Whether the threads of the runtime still work. */
  threads: async () => (await fs.promises.readFile('/proc/self/stat', 'utf8')).length > 0,
  descriptors: () => fs.readdirSync('/proc/self/fd').length,
};

createInterface({ input: process.stdin })
  .on('line', async (request) => {
    const begun = performance.now();
    const answer = await requests[request]?.();
    say({ request, answer, ms: performance.now() - begun });
  })
  .on('close', async () => {
    store.close();
    await host.close();
    process.exit(0);
  });
