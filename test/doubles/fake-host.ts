import { type Bus, type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { type FakeClock, fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { budgets } from '../../src/access/limits/budgets.ts';
import type { ActionContext, ActionParts } from '../../src/core/action.ts';
import type { Caller } from '../../src/core/caller.ts';
import type { ControlPause } from '../../src/core/control-pause.ts';
import type { SourceContext } from '../../src/core/module.ts';
import type { History } from '../../src/core/readings/history.ts';
import { createSingletons } from '../../src/core/singletons.ts';
import { allScopes, defaultSettings } from '../../src/features/index.ts';
import { createFiles, type Files, locate } from '../../src/host/linux/files.ts';
import type { LinuxEnvironment } from '../../src/host/linux/linux-environment.ts';
import type { LinuxHost } from '../../src/host/linux/linux-host.ts';
import { readUserDirectories } from '../../src/host/linux/storage/user-directories.ts';
import type { Launch } from '../../src/host/processes/launch.ts';
import type { Storage } from '../../src/host/storage.ts';

export { type FakeClock, fakeClock };

export interface FakeHostOptions extends Partial<Omit<LinuxHost, 'environment' | 'clock'>> {
  /** Directory of a machine: its proc, sys, etc and so on are what `files` reads. */
  root?: string;
  environment?: Partial<Omit<LinuxEnvironment, 'variable'>> & { variables?: Record<string, string> };
  clock?: FakeClock;
}

export interface FakeHost extends LinuxHost {
  clock: FakeClock;
}

/** A machine of which only the given parts exist. Using any other part throws an error that names it. */
export function fakeHost({ root, environment = {}, clock = fakeClock(), ...parts }: FakeHostOptions = {}): FakeHost {
  const given = new Map<string | symbol, unknown>(
    Object.entries({
      platform: 'linux',
      close: async () => {},
      onClose: () => {},
      userAgent: 'hostler/test',
      userDirectories: () => readUserDirectories(host),
      identity: {
        hostname: () => ({ value: host.environment.hostname() }),
        sharesNames: true,
        sharesNetwork: true,
      },
      ...(root === undefined ? {} : { files: filesIn(root), place: (file: string) => locate({ all: root }, file) }),
      ...parts,
      clock,
      environment: fakeEnvironment(environment),
    }),
  );
  const lacks = (key: string | symbol) => {
    // Linux seals nothing: to ask whether it does is no use of it.
    if (key === 'sealing') return undefined;
    // Parts are not created from what is faked here, unless the test says `isRecording: false`.
    if (key === 'isRecording') throw new Error('a part of a feature was used, but the test set none with setPart');
    return refused(String(key));
  };
  const host = new Proxy({} as FakeHost, { get: (_target, key) => given.get(key) ?? lacks(key) });
  return host;
}

/** No device behind these files takes its time to answer. */
function filesIn(root: string): Files {
  const files = createFiles({ all: root });
  return { ...files, textLater: async (file) => files.text(file) };
}

export function fakeContext(given: Partial<SourceContext> = {}): SourceContext {
  const silent = () => {};
  const log = {
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
    isDebug: () => false,
    setLevel: silent,
    setFormat: silent,
  };
  return { version: '6.0.0', settings: () => defaultSettings, locks: () => null, log, ...given };
}

/** Files in memory; nothing is watched, or locked by another process. */
export function memoryStorage(contents: Record<string, string> = {}): Storage & { contents: Map<string, string> } {
  const files = filesByName(contents);
  let writes = 0;
  const signatures = filesByName();
  return {
    contents: files,
    read: (file) => files.get(file) ?? null,
    write(file, text) {
      files.set(file, text);
      writes += 1;
      signatures.set(file, String(writes));
    },
    append(file, line, maxBytes, heading) {
      const before = files.get(file) ?? '';
      if (before === '' || before.length + line.length < maxBytes) return void files.set(file, `${before}${line}\n`);
      const gone = files.get(`${file}.1`);
      const first = gone === undefined ? null : heading?.(gone);
      files.set(`${file}.1`, before);
      files.set(file, first ? `${first}\n${line}\n` : `${line}\n`);
    },
    remove: (file) => void files.delete(file),
    rename(from, to) {
      const text = files.get(from);
      if (text === undefined) throw new Error(`there is no ${from} to rename`);
      files.delete(from);
      files.set(to, text);
    },
    removeDirectory(directory) {
      for (const file of [...files.keys()]) if (file.startsWith(`${directory}/`)) files.delete(file);
    },
    prepareDirectory: () => {},
    signature: (file) => (files.has(file) ? (signatures.get(file) ?? '0') : null),
    locked: (_file, work) => work(),
    isOurs: () => true,
    isDirectory: (place) => [...files.keys()].some((file) => file.startsWith(`${place}/`)),
    permissions: (file) => (files.has(file) ? 0o600 : null),
    exposure: () => null,
    secretExposure: async () => null,
    watch: () => () => {},
  };
}

/** A path as the fake machine, which is a Linux one, has it, also where the test itself runs on Windows. */
export const withSlashes = (file: string) => file.replaceAll('\\', '/');

function filesByName(contents: Record<string, string> = {}): Map<string, string> {
  const files = new Map(Object.entries(contents).map(([file, text]) => [withSlashes(file), text]));
  const { get, set, has, delete: remove } = Map.prototype;
  return Object.assign(files, {
    get: (file: string): string | undefined => get.call(files, withSlashes(file)),
    set: (file: string, text: string) => set.call(files, withSlashes(file), text),
    has: (file: string) => has.call(files, withSlashes(file)),
    delete: (file: string) => remove.call(files, withSlashes(file)),
  });
}

/** Answers the calls named `interface.member`; any other is an unknown method, as on a real bus. */
export function fakeBus(methods: Record<string, (call: BusCall) => unknown[]>): Bus & { calls: BusCall[] } {
  const calls: BusCall[] = [];
  return {
    calls,
    async call(call) {
      calls.push(call);
      const answer = methods[`${call.interface}.${call.member}`];
      if (answer !== undefined) return answer(call);
      throw new BusError('org.freedesktop.DBus.Error.UnknownMethod', `There is no ${call.interface}.${call.member}`);
    },
    subscribe: async () => () => {},
    onReconnected: () => () => {},
    close: () => {},
  };
}

/** No program is installed. */
export const noLaunch: Launch = {
  find: () => null,
  searchPath: () => '/usr/bin',
  onRefused() {},
  start: async () => 0,
};

/** A machine on which no bus runs. */
export const noBus: Bus = {
  call: async () => {
    throw new BusError('Client.NoBus', 'There is no bus here');
  },
  subscribe: async () => () => {},
  onReconnected: () => () => {},
  close: () => {},
};

function fakeEnvironment({ variables = {}, ...given }: NonNullable<FakeHostOptions['environment']>): LinuxEnvironment {
  return {
    variable: (name) => variables[name] || null,
    home: '/home/tester',
    uid: 1000,
    userName: 'tester',
    hostname: () => 'machine',
    kernel: '6.1.0-13-amd64',
    machine: 'x86_64',
    pid: 4242,
    uptime: () => 0,
    isRunning: () => false,
    startOf: () => null,
    ...given,
  };
}

/** Using a part that the test did not provide is an error of the test, or of the code under test. */
function notGiven(name: string): never {
  throw new Error(`${name} was used, but the test gave none`);
}

function refused(name: string): unknown {
  const refuse = () => notGiven(`host.${name}`);
  return new Proxy(refuse, { get: refuse, apply: refuse });
}

/** Nothing is recorded, and no test should read it. */
export const noHistory: History = { read: async () => notGiven('history'), note: () => {} };

/** The context of an action; its notifications are collected in `notifications`. */
const neverPaused: ControlPause = {
  current: () => null,
  pause: () => notGiven('controlPause'),
  resume: () => notGiven('controlPause'),
  onChange: () => () => {},
};

export function fakeActionContext(host: LinuxHost, given: Partial<ActionContext> = {}) {
  const notifications: { type: string; data: unknown }[] = [];
  const { log, settings } = fakeContext();
  const parts: ActionParts = {
    host,
    log,
    settings,
    shownSettings: async () => notGiven('shownSettings'),
    changeSettings: async () => notGiven('changeSettings'),
    read: async () => notGiven('read'),
    subscribers: { count: () => 0, onChange: () => () => {}, refresh: async () => {} },
    budgets,
    history: noHistory,
    controlPause: neverPaused,
    admits: () => true,
    onTokensChange: () => () => {},
    exit: () => notGiven('exit'),
    ...given,
  };
  const caller: Caller = {
    tokenName: 'main',
    tokenId: 'main',
    scopes: new Set(allScopes),
    connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
  };
  const kept = createSingletons(parts);
  const context: ActionContext = {
    ...parts,
    caller,
    notify: (type, data) => void notifications.push({ type, data }),
    keep: kept.keep,
    signal: new AbortController().signal,
    orderSignal: new AbortController().signal,
    ...given,
  };
  return { context, notifications, close: kept.close };
}
