import fs from 'node:fs';
import path from 'node:path';
import { createCertificates } from '../../access/tls/certificates.ts';
import { holdInstance } from '../../app/only-one.ts';
import { createWindowsTray } from '../../app/tray/windows/tray.ts';
import { createChat } from '../../features/chat/client/chat.open.ts';
import { windowsSockets } from '../../features/chat/client/chat.sockets.ts';
import { createEnginePipes } from '../../features/containers/engine-pipes.windows.ts';
import { sendBroadcast } from '../../features/networks/networks.broadcast.ts';
import { createEncodePicture } from '../../features/screen/pictures/pictures.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createNeutralParts } from '../common-parts.ts';
import { createEnvironment, type Environment } from '../environment.ts';
import { createOpenMulticast } from '../multicast.ts';
import { createNetwork } from '../network.ts';
import { createOwnPlaces } from '../own-directories.ts';
import { createPaths } from '../paths.ts';
import { createScratch } from '../scratch.ts';
import { createDpapi } from './dpapi.ts';
import { startsWhenOpened } from './executable-files.ts';
import { readKnownFolders } from './known-folders.ts';
import { createWindowsMessages, isMachineEvent } from './messages.ts';
import type { Native } from './native/native.ts';
import { createNativeThreads } from './native-threads.ts';
import { createPipeCheck, pipeChannel, withPipes } from './pipe-channel.ts';
import { holdInJob, programEnvironment, withoutScripts } from './programs.ts';
import { createWindowsContained, windowsHangingFiles } from './windows-contained.ts';
import type { WindowsHost } from './windows-host.ts';
import { createWindowsMachineFiles } from './windows-machine-files.ts';
import { windowsPaths } from './windows-paths.ts';
import { createWindowsStorage } from './windows-storage.ts';

/** Of each of two files: the current one, and the one before it with `.1` behind its name. */
const mostLogBytes = 4 * 1024 * 1024;

/** Temporary files lie in the user's own profile. */
const notKnown = () => null;

/** A Windows machine. */
export async function createWindowsHost(version: string, startThread: StartThread): Promise<WindowsHost> {
  const environment = createEnvironment(process.env);
  const usual = windowsPaths(environment);
  const paths = createPaths(environment, usual);
  let native: Promise<Native> | null = null;
  const openOnce = () => {
    native ??= import('./native/native.ts').then(({ openNative }) => openNative());
    return native;
  };
  // In the user's own profile Windows itself keeps others out. Elsewhere, and where it has to be made, rights matter: then, unlike in
  // every other start, the libraries are needed at once.
  const isUsual = paths.state === path.resolve(usual.state) && paths.config === path.resolve(usual.config);
  const accounts = isUsual && fs.existsSync(paths.state) ? null : await accountsOf(openOnce);
  const { endPrograms, ...parts } = createNeutralParts(
    version,
    {
      searchPath: environment.variable('PATH'),
      customary: [],
      ending: '.exe',
      environment: () => programEnvironment(environment.variable),
      holding: async () => holdInJob((await openOnce()).kernel32),
      nvml: [path.win32.join(environment.variable('SystemRoot') ?? 'C:\\Windows', 'System32', 'nvml.dll')],
    },
    notKnown,
  );
  const machine = await openMachineFiles(environment, openOnce);
  const storage = { ...createWindowsStorage(accounts, isUsual ? null : paths.state), machine };
  const pipeOwners = async () => {
    const { advapi32, rights } = await openOnce();
    const pipeOwner = (pipe: string) => {
      const made = rights.pipeOwner(pipe);
      // Where a pipe has no owner, who runs the process that serves it.
      return made === null ? null : (made.owner ?? advapi32.processSid(made.process));
    };
    return { ownSid: advapi32.ownSid, pipeOwner };
  };
  const check = createPipeCheck(pipeOwners, parts.clock);
  const served = new Set<string>();
  // What this process serves itself nobody else can have made.
  const checkPipe = async (pipe: string) => (served.has(pipe) ? undefined : await check(pipe));
  const neutral = {
    ...parts,
    run: withoutScripts(parts.run),
    storage,
    localHttp: withPipes(parts.localHttp, checkPipe),
  };
  const scratch = createScratch(paths.runtime, environment.isRunning, notKnown);
  const chat = createChat({ ...neutral, paths, environment }, windowsSockets, version);
  const threads = createNativeThreads(startThread, parts.clock);
  const wake = async (window: number) => (await openOnce()).user32.wake(window);
  const messages = createWindowsMessages(startThread, wake);
  const contained = createWindowsContained({
    isOurs: createOwnPlaces(paths, parts.clock),
    systemDrive: environment.variable('SystemDrive'),
    kernel32: async () => (await openOnce()).kernel32,
    elsewhere: windowsHangingFiles(parts.clock, startThread),
  });
  const unknown = { kind: 'failed', code: 'ENOSYS' } as const;
  return {
    ...neutral,
    platform: 'windows',
    environment,
    paths,
    scratch,
    certificates: createCertificates(startThread),
    sealing: createDpapi(async () => (await openOnce()).crypt32),
    native: openOnce,
    nativeElsewhere: threads.of,
    messages,
    encodePicture: createEncodePicture(startThread),
    pipes: createEnginePipes(parts.connectLocal, pipeOwners, check),
    machineEvents: (heard) =>
      messages.follow((event) => {
        if (isMachineEvent(event)) heard(event);
      }),
    sessionEnd: (ending) =>
      messages.follow((event) => {
        if (event === 'session-end') ending();
      }),
    tray: createWindowsTray(startThread, wake),
    commands: {
      ...pipeChannel,
      serve(given) {
        served.add(given.socket);
        return pipeChannel.serve(given);
      },
    },
    onlyOne: async () =>
      holdInstance((await import('../../app/single-instance.windows.ts')).openInstance(), paths.state),
    network: createNetwork(() => environment.variable('USERDNSDOMAIN')?.toLowerCase().split(/\s+/) ?? []),
    // Windows keeps no journal of what programs say.
    keepLog: (line) => storage.append(path.join(paths.state, 'hostler.log'), line, mostLogBytes),
    userDirectories: async () => readKnownFolders((await openOnce()).shell32),
    contained: { ...contained, startsWhenOpened },
    volumes: {
      space: () => unknown,
      spaceLater: async () => unknown,
      onLate: () => () => {},
      follow: () => Promise.reject(new Error('Windows does not announce what is mounted')),
    },
    // Windows cannot listen at the address of a group.
    multicast: createOpenMulticast(false),
    sendBroadcast,
    // Windows is not asked yet who is at the other end: nobody counts as local but by the pipe.
    ownSockets: null,
    isOurPeer: async () => false,
    chat: chat.open,
    async close() {
      threads.close();
      messages.close();
      await chat.close();
      await endPrograms();
      scratch.close();
    },
  };
}

async function accountsOf(native: () => Promise<Native>) {
  const { advapi32, rights } = await native();
  const { ownSid, protect, ownerSid } = advapi32;
  return { ownSid, protect, ownerSid, descriptor: rights.descriptor };
}

/** FOLDERID_ProgramData. */
const programData = '62ab5d82-fdc1-4dc3-a9dd-070d1d495d97';

/**
 * Where the administrator says something for all users. The environment belongs to the user, so it is believed only as long as there is nothing;
 * where there is something, Windows itself is asked for the place and the rights, and libraries are needed at once.
 */
async function openMachineFiles(environment: Environment, native: () => Promise<Native>) {
  const usual = ['C:\\ProgramData', environment.variable('ProgramData') ?? 'C:\\ProgramData'];
  const place = (parent: string) => path.join(parent, 'hostler');
  const load = async () => (await native()).rights;
  if (!usual.some((parent) => fs.existsSync(place(parent))))
    return createWindowsMachineFiles(place(usual[1] ?? ''), load, null);
  const { shell32, rights } = await native();
  return createWindowsMachineFiles(place(shell32.knownFolder(programData) ?? usual[0] ?? ''), load, rights);
}
