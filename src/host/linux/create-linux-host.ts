import { createCertificates } from '../../access/tls/certificates.ts';
import { journalLines } from '../../app/journal-lines.linux.ts';
import { createChat } from '../../features/chat/client/chat.open.ts';
import { unixSockets } from '../../features/chat/client/chat.sockets.ts';
import { lookAtSocket } from '../../features/containers/linux/engine-sockets.ts';
import { createAttributes } from '../../features/displays/linux/sysfs-attributes.ts';
import { sendBroadcast } from '../../features/networks/networks.broadcast.ts';
import type { ProcessCalls } from '../../features/processes/linux/process-calls.ts';
import { createEncodePicture } from '../../features/screen/pictures/pictures.ts';
import { createHid } from '../../features/sensors/linux/hidraw-connection.ts';
import { createJournal } from '../../features/services/linux/journal.ts';
import type { ReadClockDiscipline } from '../../features/system/linux/clock-discipline.ts';
import { createPackageState } from '../../features/updates/linux/package-state.ts';
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
import { createMachineIdentity } from './machine-identity.ts';
import { createLoadNetlink } from './net/netlink.ts';
import { ownSockets } from './net/own-sockets.ts';
import type { PeerUser } from './net/peer-user.ts';
import type { ProcessClock } from './proc/process-clock.ts';
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
  const { endPrograms, ...neutral } = createNeutralParts(
    version,
    {
      searchPath: environment.variable('PATH'),
      customary: ['/usr/local/bin', '/usr/bin', '/bin'],
      outputs: lazily(async () => (await import('./output-pipe.ts')).loadOutputPipes()),
    },
    exposureOf,
    connectVerified,
  );
  const { clock, connectLocal } = neutral;
  const paths = createPaths(environment, linuxPaths(environment));
  const roots = rootsFrom(environment.variable);
  const replay = openReplay(roots.all);
  const files = replay?.parts.files ?? createFiles(roots);
  const storage = { ...neutral.storage, machine: createMachineFiles(roots) };
  const dbus = createBuses(environment);
  const scratch = createScratch(paths.runtime, environment.isRunning, exposureOf);
  const chat = createChat({ ...neutral, paths, environment }, () => unixSockets({ paths, environment }), version);
  let peerUser: Promise<PeerUser> | null = null;
  // Opened once, by the first who wants to know.
  let processClock: Promise<ProcessClock | null> | null = null;
  let processCalls: Promise<ProcessCalls> | null = null;
  let clockDiscipline: Promise<ReadClockDiscipline | null> | null = null;
  // Loaded when it first matters who is at the other end.
  const loadPeerUser = () => {
    peerUser ??= import('./net/peer-user.ts').then(({ createPeerUser }) => createPeerUser());
    return peerUser;
  };
  const session = createDesktopSession({ environment, paths, dbus, connectLocal, clock });
  const failedUnits = lazily(async () =>
    (await import('./systemd/failed-units.ts')).createFailedUnits({ dbus, clock }),
  );
  const driveHealth = lazily(async () =>
    (await import('../../features/disks/linux/drive-health.ts')).createDriveHealth({
      files,
      locate: (file) => locate(roots, file),
      clock,
      system: dbus.system,
      startThread,
    }),
  );
  const monitors = lazily(async () =>
    (await import('../../features/displays/linux/monitors.ts')).createMonitors({
      files,
      locate: (file) => locate(roots, file),
      clock,
      startThread,
    }),
  );
  const logLine = journalLines(environment.variable('JOURNAL_STREAM'));
  const contained = createContained(clock, startThread, createOwnPlaces(paths, clock));
  return {
    ...neutral,
    storage,
    platform: 'linux',
    environment:
      replay === null ? environment : { ...environment, ...replay.facts, hostname: () => replay.facts.hostname },
    paths,
    scratch,
    certificates: createCertificates(startThread),
    files,
    dbus,
    attributes: createAttributes(roots, clock),
    mountTable: mountTableOf(roots),
    volumes: createVolumes(roots, clock, startThread),
    contained,
    followArrays: async (changed) => {
      const { followUrgent } = await import('./proc/poll-notify.ts');
      return followUrgent(locate(roots, '/proc/mdstat'), 'tells-until-read', clock, changed);
    },
    driveHealth,
    monitors,
    userDirectories: () => readUserDirectories({ contained, environment, storage: neutral.storage }),
    network: createNetwork(() => parseSearchDomains(files.text('/etc/resolv.conf') ?? '')),
    identity: createMachineIdentity(files, environment),
    hid: createHid(roots),
    netlink: createLoadNetlink(files),
    lookAtSocket,
    packages: createPackageState({ roots, home: environment.home, uid: environment.uid, run: neutral.run }, clock),
    multicast: createOpenMulticast(true),
    sendBroadcast,
    connect: async (...given) => (await import('./net/persistent-tcp.ts')).openQuietly(...given),
    ownSockets,
    isOurPeer: async (peer, port) => {
      const user = await (await loadPeerUser())(peer, port);
      return user !== null && user === environment.uid;
    },
    machineEvents: async (heard) => (await import('./login/inhibit.ts')).followAnnouncements(dbus.system, heard),
    wallClock: async (...given) => (await import('./proc/wall-clock.ts')).followWallClock(...given),
    failedUnits: async () => await (await failedUnits())(),
    journal: createJournal(clock, startThread),
    encodePicture: createEncodePicture(startThread),
    session,
    chat: chat.open,
    processClock() {
      processClock ??= import('./proc/process-clock.ts').then((loaded) => loaded.openProcessClock());
      return processClock;
    },
    processCalls() {
      processCalls ??= import('../../features/processes/linux/process-calls.ts').then((loaded) =>
        loaded.openProcessCalls(environment.machine),
      );
      return processCalls;
    },
    clockDiscipline() {
      clockDiscipline ??= import('../../features/system/linux/clock-discipline.ts').then((loaded) =>
        loaded.openClockDiscipline(),
      );
      return clockDiscipline;
    },
    tray: {
      isLive: true,
      show: async (view, events) =>
        (await import('../../app/tray/linux/tray.ts')).showOnLinux({ environment, clock, session }, view, events),
    },
    foreignServers: async () => (await import('./desktop/foreign-servers.ts')).findForeignServers({ session, dbus }),
    hasTerminal: () => hasTerminal(),
    ...(logLine === null ? {} : { logLine }),
    ...(environment.variable('NOTIFY_SOCKET') === null
      ? {}
      : { supervisor: async () => (await import('../../app/supervisor.linux.ts')).openSupervisor(process.env, clock) }),
    hold: async (call) =>
      (await import('../../features/power/linux/hold-descriptor.ts')).holdDescriptor(environment, call),
    ...replay?.parts,
    async close() {
      dbus.system.close();
      dbus.session.close();
      await chat.close();
      await endPrograms();
      scratch.close();
    },
  };
}
