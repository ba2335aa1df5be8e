/** Prints the failed units of systemd, as the service would find them. */

import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';

const host = createLinuxHost('0.0.0', startThread);
process.stdout.write(JSON.stringify(await host.failedUnits?.()));
await host.close();
