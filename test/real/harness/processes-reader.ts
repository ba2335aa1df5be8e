/** Reads the processes twice and prints the second reading: a process of its own, for readers of other users and namespaces. */

import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createTerminal } from '../../../src/cli/terminal.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
// Loaded before it becomes somebody who may not read this directory.
import '../../../src/host/linux/proc/process-clock.ts';
import { processesLinux } from '../../../src/features/processes/processes.linux.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { collectReasons } from '../../harness/machines.ts';

const [uid] = process.argv.slice(2).map(Number);
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

const host = createLinuxHost('6.0.0', startThread);
const source = processesLinux(host, fakeContext());
await source.read(collectReasons().reasons);
await new Promise((resolve) => setTimeout(resolve, 500));
const { reasons, collected } = collectReasons();
const payload = await source.read(reasons);
// All of it before this process ends, also if it is more than a pipe holds.
createTerminal().print(JSON.stringify({ pid: process.pid, payload, reasons: collected }));
source.close?.();
await host.close();
