/** Prints what systemd calls failed, as the service would find it. */

import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';

const host = createLinuxHost('0.0.0', startThread);
process.stdout.write(JSON.stringify(await host.failedUnits?.()));
await host.close();
