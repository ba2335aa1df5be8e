import fs from 'node:fs';
import path from 'node:path';
import type { StartedThread, StartThread } from '../../lib/thread.ts';
import { createNeutralParts } from '../common-parts.ts';
import { createConnectLocal } from '../connect-local.ts';
import { createEnvironment, type Environment } from '../environment.ts';
import { createOpenMulticast } from '../multicast.ts';
import type { NativeLibrary } from '../native-library.ts';
import { createNetwork } from '../network.ts';
import { createOwnPlaces } from '../own-directories.ts';
import { createPaths } from '../paths.ts';
import { createScratch } from '../scratch.ts';
import { createDpapi } from './dpapi.ts';
import { keepThreads } from './kept-threads.ts';
import { createKeptToasts } from './kept-toasts.ts';
import { readKnownFolders } from './known-folders.ts';
import { createWindowsMessages, isMachineEvent } from './messages.ts';
import type { Native } from './native/native.ts';
import { createNativeThreads } from './native-threads.ts';
import { createPipeCheck, pipeChannel, pipeOwnersOf, withPipes } from './pipe-channel.ts';
import { holdInJob, programEnvironment, withoutScripts } from './programs.ts';
import { createToastPresses } from './toast-presses.ts';
import { createWindowsContained, windowsHangingFiles } from './windows-contained.ts';
import type { WindowsHost } from './windows-host.ts';
import { createWindowsMachineFiles } from './windows-machine-files.ts';
import { windowsPaths } from './windows-paths.ts';
import { createWindowsStorage } from './windows-storage.ts';

/** Of each of two files: the current one, and the one before it with `.1` behind its name. */
const mostLogBytes = 4 * 1024 * 1024;

/** Checked by the storage. */
const notKnown = () => null;

export async function createWindowsHost(
  version: string,
  startNewThread: StartThread<StartedThread>,
): Promise<WindowsHost> {
  const startThread = keepThreads(startNewThread);
  const environment = createEnvironment(process.env);
  const usual = windowsPaths(environment);
  const paths = createPaths(environment, usual);
  const native = createNativeLoader();
  // In the user's own profile Windows denies access to others. Elsewhere, and where it must be created, permissions matter: then, unlike in
  // other starts, the libraries are needed at once.
  const isUsual = paths.state === path.resolve(usual.state) && paths.config === path.resolve(usual.config);
  const accounts = isUsual && fs.existsSync(paths.state) ? null : await accountsOf(native);
  const { endPrograms, closeParts, ...parts } = createNeutralParts(
    version,
    startThread,
    {
      searchPath: environment.variable('PATH'),
      customary: [],
      ending: '.exe',
      environment: () => programEnvironment(environment.variable),
      holding: async () => holdInJob((await native()).kernel32),
    },
    notKnown,
  );
  const machine = await openMachineFiles(environment, native);
  const storage = {
    ...createWindowsStorage(accounts, isUsual ? null : paths.state, () => accountsOf(native)),
    machine,
  };
  const check = createPipeCheck(pipeOwnersOf(native), parts.clock);
  const served = new Set<string>();
  // No other user can have created a pipe of this process.
  const checkPipe = async (pipe: string) => (served.has(pipe) ? undefined : await check(pipe));
  const neutral = {
    ...parts,
    run: withoutScripts(parts.run),
    storage,
    localHttp: withPipes(parts.localHttp, checkPipe),
    connectLocal: createConnectLocal(null, check),
  };
  // %TEMP% may be a directory that other users can read; this one was checked.
  const scratch = createScratch(paths.state, environment.isRunning, notKnown);
  const threads = createNativeThreads(startThread, parts.clock);
  const messages = createWindowsMessages(startThread, async (window) => (await native()).user32.wake(window));
  const contained = createWindowsContained({
    isOurs: createOwnPlaces(paths, parts.clock),
    systemDrive: environment.variable('SystemDrive'),
    kernel32: async () => (await native()).kernel32,
    accounts: () => accountsOf(native),
    elsewhere: windowsHangingFiles(parts.clock, startThread),
  });
  const sealing = createDpapi(async () => (await native()).crypt32);
  const presses = createToastPresses(parts.clock, createKeptToasts({ storage, sealing, paths, clock: parts.clock }));
  return {
    ...neutral,
    platform: 'windows',
    environment,
    paths,
    scratch,
    sealing,
    native,
    nativeElsewhere: threads.of,
    messages,
    presses,
    acceptPress: presses.accept,
    followEarlierPresses: presses.followEarlier,
    machineEvents: (received) =>
      messages.follow((event) => {
        if (isMachineEvent(event)) received(event);
      }),
    sessionEnd: (ending) =>
      messages.follow((event) => {
        if (event === 'session-end') ending();
      }),
    commands: {
      ...pipeChannel,
      serve(given) {
        served.add(given.socket);
        return pipeChannel.serve(given);
      },
    },
    network: createNetwork(() => environment.variable('USERDNSDOMAIN')?.toLowerCase().split(/\s+/) ?? []),
    // Windows has no journal for the output of programs.
    keepLog: (line) => storage.append(path.join(paths.state, 'hostler.log'), line, mostLogBytes),
    userDirectories: async () => readKnownFolders((await native()).shell32),
    contained,
    // Windows cannot listen at the address of a group.
    multicast: createOpenMulticast(false),
    async close() {
      threads.close();
      messages.close();
      await closeParts();
      await endPrograms();
      scratch.close();
    },
  };
}

/** Each library is opened once. */
function createNativeLoader(): WindowsHost['native'] {
  const opened = new Map<string, object>();
  let shared: Promise<Native> | null = null;
  function native(): Promise<Native>;
  function native<T extends object>(library: NativeLibrary<T>): Promise<T>;
  async function native(library?: NativeLibrary): Promise<object> {
    if (library === undefined) {
      shared ??= import('./native/native.ts').then(({ openNative }) => openNative());
      return await shared;
    }
    const client = opened.get(library.name) ?? library.open();
    opened.set(library.name, client);
    return client;
  }
  return native;
}

async function accountsOf(native: () => Promise<Native>) {
  const { advapi32, rights } = await native();
  const { ownSid, protect, ownerSid } = advapi32;
  return { ownSid, protect, ownerSid, descriptor: rights.descriptor };
}

/** FOLDERID_ProgramData. */
const programData = '62ab5d82-fdc1-4dc3-a9dd-070d1d495d97';

/**
 * The administrator's directory for all users. The environment belongs to the user, so it is trusted only for a missing directory;
 * for an existing one, Windows is queried for the path and the permissions, and libraries are needed at once.
 */
async function openMachineFiles(environment: Environment, native: () => Promise<Native>) {
  const usual = ['C:\\ProgramData', environment.variable('ProgramData') ?? 'C:\\ProgramData'];
  const place = (parent: string) => path.join(parent, 'hostler');
  const load = async () => (await native()).rights;
  const protect = async (directory: string, sddl: string) => (await native()).advapi32.protect(directory, sddl);
  if (!usual.some((parent) => fs.existsSync(place(parent))))
    return createWindowsMachineFiles(place(usual[1] ?? ''), load, null, protect);
  const { shell32, rights } = await native();
  return createWindowsMachineFiles(place(shell32.knownFolder(programData) ?? usual[0] ?? ''), load, rights, protect);
}
