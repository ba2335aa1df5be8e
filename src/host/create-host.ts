import { createAsk } from './ask.ts';
import { createClock } from './clock.ts';
import { createContained } from './contained.ts';
import { createDbus } from './dbus/lazy.ts';
import { createDownload } from './download.ts';
import { createEnvironment } from './environment.ts';
import { createFiles, rootsFrom } from './files.ts';
import { createHid } from './hid.ts';
import type { Host } from './host.ts';
import { createLoadNetlink } from './linux/netlink.ts';
import { createNvml } from './linux/nvml.ts';
import { createMounts } from './mounts.ts';
import { createNetwork } from './network.ts';
import { createPaths } from './paths.ts';
import { createRunner } from './run.ts';
import { createConnectLocal } from './socket.ts';
import { createStorage } from './storage.ts';

/** The machine itself. */
export function createHost(version: string, platform: 'linux' | 'windows' | 'darwin' | null): Host {
  const environment = createEnvironment(process.env);
  const dbus = createDbus(environment);
  const runner = createRunner();
  const roots = rootsFrom(environment.variable);
  const files = createFiles(roots);
  const clock = createClock();
  return {
    files,
    storage: createStorage(),
    clock,
    environment,
    processClock: async () => (await import('./linux/process-clock.ts')).openProcessClock(),
    hid: createHid(roots),
    paths: createPaths(environment, platform ?? 'linux'),
    mounts: createMounts(roots, clock),
    network: createNetwork(),
    netlink: createLoadNetlink(files),
    contained: createContained(clock),
    dbus,
    connectLocal: createConnectLocal(),
    run: runner.run,
    download: createDownload(`hostler/${version}`),
    ask: createAsk(),
    nvml: createNvml(),
    async close() {
      dbus.system.close();
      dbus.session.close();
      await runner.endAll();
    },
  };
}
