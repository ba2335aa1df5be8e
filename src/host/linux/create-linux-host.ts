import { lazily } from '../../lib/lazily.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createNeutralParts } from '../common-parts.ts';
import { createOpenMulticast } from '../multicast.ts';
import { createNetwork } from '../network.ts';
import { createOwnPlaces } from '../own-directories.ts';
import { createPaths } from '../paths.ts';
import { createScratch } from '../scratch.ts';
import { createBuses } from './dbus/buses.ts';
import { createDesktopSession } from './desktop/desktop-session.ts';
import { createFiles, locate, rootsFrom } from './files.ts';
import { createLinuxEnvironment, hasTerminal } from './linux-environment.ts';
import type { LinuxHost } from './linux-host.ts';
import { linuxPaths } from './linux-paths.ts';
import { lowerPriority } from './low-priority.ts';
import { createMachineIdentity } from './machine-identity.ts';
import { createLoadNetlink } from './net/netlink.ts';
import { ownSockets } from './net/own-sockets.ts';
import { openReplay } from './recording/replay.ts';
import { parseSearchDomains } from './search-domains.ts';
import { createContained } from './storage/contained.ts';
import { exposureOf } from './storage/exposure.ts';
import { createMachineFiles } from './storage/machine-files.ts';
import { readUserDirectories } from './storage/user-directories.ts';
import { createVolumes, mountTableOf } from './storage/volumes.ts';
import { connectVerified } from './verified-local.ts';

/** A Linux machine: this one, or the one below HOSTLER_ROOT, which may be a recording of one. */
export function createLinuxHost(version: string, startThread: StartThread): LinuxHost {
  const environment = createLinuxEnvironment(process.env);
  const { endPrograms, closeParts, ...neutral } = createNeutralParts(
    version,
    startThread,
    {
      searchPath: environment.variable('PATH'),
      customary: ['/usr/local/bin', '/usr/bin', '/bin'],
      outputs: lazily(async () => (await import('./output-pipe.ts')).loadOutputPipes()),
      lowerPriority,
    },
    exposureOf,
    connectVerified,
  );
  const { connectLocal } = neutral;
  const cpuClocks = lazily(async () => (await import('./proc/process-clock.ts')).openCpuClocks());
  // Measuring a read costs a third with native calls, once they are loaded.
  const clock = { ...neutral.clock, cpu: () => cpuClocks.made()?.ofThread() ?? neutral.clock.cpu() };
  const paths = createPaths(environment, linuxPaths(environment));
  const roots = rootsFrom(environment.variable);
  const replay = openReplay(roots.all);
  const files = replay?.parts.files ?? createFiles(roots);
  const storage = { ...neutral.storage, machine: createMachineFiles(roots) };
  const dbus = createBuses(environment);
  const scratch = createScratch(paths.runtime, environment.isRunning, exposureOf);
  const peerUser = lazily(async () => (await import('./net/peer-user.ts')).createPeerUser(clock));
  const session = createDesktopSession({ environment, paths, dbus, connectLocal, clock });
  const failedUnits = lazily(async () =>
    (await import('./systemd/failed-units.ts')).createFailedUnits({ dbus, clock }),
  );
  const connect: LinuxHost['connect'] = async (...given) =>
    (await import('./net/persistent-tcp.ts')).openQuietly(...given);
  const isOurPeer: LinuxHost['isOurPeer'] = async (peer, port, how) => {
    const user = await (await peerUser())(peer, port, how);
    return user !== null && user === environment.uid;
  };
  const contained = createContained(clock, startThread, createOwnPlaces(paths, clock));
  return {
    ...neutral,
    clock,
    storage,
    platform: 'linux',
    environment:
      replay === null ? environment : { ...environment, ...replay.facts, hostname: () => replay.facts.hostname },
    paths,
    scratch,
    files,
    place: (file) => locate(roots, file),
    dbus,
    mountTable: mountTableOf(roots),
    volumes: createVolumes(roots, clock, startThread),
    contained,
    userDirectories: () => readUserDirectories({ contained, environment, storage: neutral.storage }),
    network: createNetwork(() => parseSearchDomains(files.text('/etc/resolv.conf') ?? '')),
    identity: createMachineIdentity(files, environment),
    netlink: createLoadNetlink(files),
    multicast: createOpenMulticast(true),
    connect,
    ownSockets,
    isOurPeer,
    foreignAddresses: async (...given) => (await import('../outgoing.ts')).foreignAddresses(...given),
    machineEvents: async (received) => (await import('./login/inhibit.ts')).followAnnouncements(dbus.system, received),
    wallClock: async (...given) => (await import('./proc/wall-clock.ts')).followWallClock(...given),
    failedUnits: async () => await (await failedUnits())(),
    session,
    processClock: async () => (await cpuClocks())?.ofProcess ?? null,
    foreignServers: async () => (await import('./desktop/foreign-servers.ts')).findForeignServers({ session, dbus }),
    hasTerminal,
    ...replay?.parts,
    async close() {
      dbus.system.close();
      dbus.session.close();
      await closeParts();
      await endPrograms();
      scratch.close();
    },
  };
}
