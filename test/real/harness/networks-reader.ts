/** Reads the networks, and listens to them, as its standard input says: a separate process, for other networks and users. */

import { createInterface } from 'node:readline';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createTerminal } from '../../../src/cli/terminal.ts';
import { createStore } from '../../../src/core/store.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
// Loaded before it becomes a user that may not read this directory.
import '../../../src/host/linux/net/netlink.socket.ts';
import '../../../src/host/linux/proc/process-clock.ts';
import '../../../src/features/networks/networks.linux.ts';
import { networks } from '../../../src/features/networks/networks.ts';
import { fakeContext } from '../../doubles/fake-host.ts';

const options = new Set(process.argv.slice(2));
const uid = Number([...options].find((option) => /^\d+$/.test(option)) ?? 0);
if (uid !== 0) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

const real = createLinuxHost('6.0.0', startThread);
const refused = () => Promise.reject(new Error('Netlink is not to be used here'));
const host = options.has('text') ? { ...real, netlink: refused } : real;
// Its interval never elapses: all pushes were announced.
const settings = { ...defaultSettings, modules: { networks: { interval: 86_400_000 } } };
const store = createStore({ modules: [networks.module], host, context: fakeContext({ settings: () => settings }) });
// Flushes before this process ends, also if it is more than a pipe buffer.
const { print } = createTerminal();
const say = (answer: unknown) => print(JSON.stringify(answer));
let stop = () => {};

const commands: Record<string, () => unknown> = {
  async read() {
    // A younger one would come from the cache.
    await new Promise((resolve) => setTimeout(resolve, 260));
    const { payload, reasons } = await store.get('networks');
    return { pid: process.pid, payload, reasons };
  },
  async listen() {
    stop = store.listen('networks', ({ payload }) => say({ pushed: payload, at: Date.now() }));
    await store.get('networks');
    return null;
  },
  unlisten: () => stop(),
  cpu: () => real.clock.cpu(),
};

for await (const line of createInterface({ input: process.stdin })) say({ answer: (await commands[line]?.()) ?? null });
stop();
store.close();
await real.close();
