import { createClock } from '../lib/clock.ts';
import { createConnectLocal } from '../lib/local-socket.ts';
import { createChat } from './chat/chat.ts';
import { createContained } from './contained.ts';
import { createDownload } from './download.ts';
import { createEnvironment } from './environment.ts';
import type { Host } from './host.ts';
import { createLaunch } from './launch.ts';
import { createDbus } from './linux/desktop/buses.ts';
import { createDesktopSession } from './linux/desktop/desktop-session.ts';
import { createFiles, rootsFrom } from './linux/files.ts';
import { createHid } from './linux/hardware/hid.ts';
import { createLoadNetlink } from './linux/net/netlink.ts';
import { createMounts } from './linux/storage/volumes.ts';
import { createAsk } from './local-http.request.ts';
import { createConverse } from './local-http.stream.ts';
import { createOpenMulticast } from './multicast.ts';
import { createNetwork } from './network.ts';
import { createNvml } from './nvml.ts';
import { createPaths } from './paths.ts';
import { createRunner } from './run.ts';
import { createScratch } from './scratch.ts';
import { createStorage } from './storage.ts';

/** The machine itself. */
export function createHost(version: string, platform: 'linux' | 'windows' | 'darwin' | null): Host {
  const environment = createEnvironment(process.env);
  const dbus = createDbus(environment);
  const runner = createRunner();
  const roots = rootsFrom(environment.variable);
  const files = createFiles(roots);
  const clock = createClock();
  const paths = createPaths(environment, platform ?? 'linux');
  const connectLocal = createConnectLocal();
  const storage = createStorage();
  const chat = createChat({ storage, paths, environment, clock, connectLocal }, platform, `hostler/${version}`);
  const scratch = createScratch(paths.runtime, environment.isRunning);
  return {
    files,
    storage,
    scratch,
    clock,
    environment,
    processClock: async () => (await import('./linux/proc/process-clock.ts')).openProcessClock(),
    hid: createHid(roots),
    paths,
    mounts: createMounts(roots, clock),
    network: createNetwork(),
    // Windows cannot listen at the address of a group.
    multicast: createOpenMulticast(platform !== 'windows'),
    netlink: createLoadNetlink(files),
    contained: createContained(clock),
    dbus,
    hold: async (call) => (await import('./linux/login/hold-descriptor.ts')).holdDescriptor(environment, call),
    session: createDesktopSession({ environment, paths, dbus, connectLocal, clock }),
    connectLocal,
    chat: chat.open,
    run: runner.run,
    launch: createLaunch(environment.variable('PATH')),
    download: createDownload(`hostler/${version}`),
    ask: createAsk(),
    converse: createConverse(),
    nvml: createNvml(),
    async close() {
      dbus.system.close();
      dbus.session.close();
      await chat.close();
      await runner.endAll();
      scratch.close();
    },
  };
}
