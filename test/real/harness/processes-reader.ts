/** Reads the processes twice and prints the second reading: a separate process, for readers of other users and namespaces. */

import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createTerminal } from '../../../src/cli/terminal.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
// Loaded before it becomes a user that may not read this directory.
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
// Flushes before this process ends, also if it is more than a pipe buffer.
createTerminal().print(JSON.stringify({ pid: process.pid, payload, reasons: collected }));
source.close?.();
await host.close();
