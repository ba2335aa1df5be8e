import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import { NewerFile } from '../lib/file-version.ts';
import { createListeners, type Listeners } from '../lib/listeners.ts';
import type { Log } from '../lib/log.ts';
import { isObject } from '../lib/values.ts';
import { createMachineLayer, type MachineLayer } from './administrator-layer.ts';
import type { SettingsCatalogue } from './catalogue.ts';
import { type Change, mayChange, mergeSettings, refuseProtected } from './change.ts';
import type { ReadSettings } from './file.ts';
import { isLocked, refuseLocked, type SettingsLocks } from './locks.ts';
import type { SettingsCheck } from './sections.ts';
import type { Settings } from './settings.schema.ts';

/** The settings of the running service: defaults, overridden by the user's file, overridden by the administrator's locks. */
export interface SettingsStore {
  current(): Settings;
  /** The settings for a caller. Secrets in URLs are masked unless this caller may change them; null: a caller that may change nothing. */
  shown(change: Change | null): Promise<Settings>;
  /** What the user cannot change; null: nothing is locked. */
  locks(): SettingsLocks | null;
  /** Merges, checks and saves. change.ts decides who may change what. */
  update(patch: unknown, change: Change): Promise<Settings>;
  onChange(listener: (settings: Settings) => void): () => void;
  /** Reads the file again if it changed. If it is broken, the previous settings stay in effect and a warning is logged. */
  reload(): Promise<void>;
  /** Watches the file for edits by hand or by the CLI. */
  follow(): void;
  close(): void;
}

export const settingsFileName = 'settings.json';

/** The interval of checks where the file cannot be watched, and while it cannot be read. */
const checkEveryMs = 10_000;
/** Editors write in several steps; only the last one is read. */
const settleMs = 50;

export interface SettingsOptions {
  /** Rename a broken file. Only for the service when it starts: otherwise the user may be editing it. */
  setAside?: boolean;
}

type SettingsHost = Pick<Host, 'storage' | 'paths' | 'clock'>;

interface State {
  catalogue: SettingsCatalogue;
  host: SettingsHost;
  log: Log;
  file: string;
  machine: MachineLayer;
  listeners: Listeners<[Settings]>;
  signature: string | null;
  /** Reported once. */
  isUnreadable: boolean;
  /** The last text that was valid: the administrator's part may change while the user's file is being edited. */
  lastText: string;
  current: Settings;
}

export async function openSettings(
  catalogue: SettingsCatalogue,
  host: SettingsHost,
  log: Log,
  { setAside = false }: SettingsOptions = {},
): Promise<SettingsStore> {
  const { storage, paths, clock } = host;
  const file = path.join(paths.config, settingsFileName);
  const machine = createMachineLayer(catalogue, storage.machine, log);
  await machine.read();
  const signature = storage.signature(file);
  const current = machine.current().defaults;
  const state: State = {
    catalogue,
    host,
    log,
    file,
    machine,
    listeners: createListeners(),
    signature,
    isUnreadable: false,
    lastText: '{}',
    current,
  };
  state.current = await loadAtStart(state, setAside);
  let stopWatching = () => {};
  let stopWatchingMachine = () => {};
  let cancelReload = () => {};

  let isWatched = true;
  const reloadAfter = (ms: number) => {
    cancelReload();
    cancelReload = clock.after(ms, () => {
      reloadAfter(checkEveryMs);
      const cancelNext = cancelReload;
      void reload(state).then((isRead) => isRead && isWatched && cancelNext());
    });
  };
  const reloadSoon = () => reloadAfter(settleMs);

  return {
    current: () => state.current,
    locks: () => machine.current().locks,
    shown: (change) => shownTo(state, change),
    update: (patch, change) => update(state, patch, change),
    onChange: state.listeners.add,
    reload: async () => void (await reload(state)),
    follow() {
      try {
        storage.prepareDirectory(paths.config);
        stopWatchingMachine = machine.watch(reloadSoon);
        stopWatching = storage.watch(paths.config, reloadSoon);
      } catch (error) {
        log.warn(
          `${paths.config} cannot be watched (${messageOf(error)}), so it is checked every ${checkEveryMs / 1000} s`,
        );
        // A check also finds what the administrator changed. An event in between would cancel the next check.
        stopWatchingMachine();
        isWatched = false;
        reloadAfter(checkEveryMs);
      }
    },
    close() {
      cancelReload();
      stopWatching();
      stopWatchingMachine();
      state.listeners.clear();
    },
  };
}

async function loadAtStart(state: State, setAside: boolean): Promise<Settings> {
  const { host, log, file, machine } = state;
  const text = host.storage.read(file);
  const { defaults, locks } = machine.current();
  if (text === null && locks === null) return defaults;
  const { settings, broken, newer } = await parse(state, text ?? '{}');
  if (newer !== null) throw new NewerFile(newer);
  if (broken === null) return settings;
  if (!setAside) {
    log.error(
      `${file} is broken: ${broken}. A running service keeps its previous settings; this command uses the defaults`,
    );
    return settings;
  }
  const aside = `${file}.broken-${timestamp(host.clock)}`;
  host.storage.rename(file, aside);
  log.error(
    `${file} is broken: ${broken}. It was renamed to ${aside}; the service uses the defaults until there is a new file`,
  );
  return settings;
}

/** Logs every value that is not used. */
async function parse(state: State, text: string): Promise<Pick<ReadSettings, 'settings' | 'broken' | 'newer'>> {
  const { log, file, machine } = state;
  const plain = await parsePlain(state, text);
  if (plain !== null) {
    state.lastText = text;
    return { settings: plain, broken: null, newer: null };
  }
  const { readSettings } = await import('./file.ts');
  const read = readSettings(await form(state), text, machine.current(), file);
  if (read.broken === null && read.newer === null) state.lastText = text;
  for (const complaint of read.complaints) log.warn(`${file}: ${complaint}`);
  for (const key of read.overruled)
    log.warn(`${file}: ${key} is not used, because ${machine.current().locks?.file} locks it to another value`);
  return read;
}

/** null: the file needs the schema. */
async function parsePlain({ catalogue, machine, file }: State, text: string): Promise<Settings | null> {
  const rules = await catalogue.plainRules();
  if (rules === null) return null;
  const { readPlainSettings } = await import('./plain-settings.ts');
  return readPlainSettings(rules, text, machine.current(), file);
}

const form = async ({ catalogue: { schema, defaults } }: State) => ({ schema: await schema(), defaults });

function announce(state: State, settings: Settings): void {
  state.current = settings;
  state.listeners.announce(settings);
}

/** A broken file is reported and not changed, because the user may be editing it. false: a file cannot be read now. */
async function reload(state: State): Promise<boolean> {
  const { host, log, file, machine } = state;
  let isMachineChanged = false;
  try {
    isMachineChanged = await machine.read();
    const next = host.storage.signature(file);
    if (next === state.signature && !isMachineChanged) return true;
    const { settings, broken, newer } = await parse(state, host.storage.read(file) ?? '{}');
    state.signature = next;
    state.isUnreadable = false;
    if (broken !== null || newer !== null) {
      log.warn(`${newer ?? `${file} is broken: ${broken}`}. The previous settings stay in effect`);
      if (isMachineChanged) announce(state, (await parse(state, state.lastText)).settings);
      return true;
    }
    log.info('settings: reloaded after a change');
    announce(state, settings);
    return true;
  } catch (error) {
    if (!state.isUnreadable)
      log.warn(`The settings cannot be read again: ${messageOf(error)}. The previous settings stay in effect`);
    state.isUnreadable = true;
    // An unreadable file of the user must not prevent a lock.
    if (isMachineChanged) announce(state, (await parse(state, state.lastText)).settings);
    return false;
  }
}

async function shownTo({ catalogue, machine, current }: State, change: Change | null): Promise<Settings> {
  const { maskSettings } = await import('./masked-urls.ts');
  const { locks } = machine.current();
  return maskSettings(
    current,
    catalogue.secretUrls,
    (key) => change !== null && mayChange(key, current, change, catalogue.protection) && !isLocked(locks, key),
  );
}

async function update(state: State, patch: unknown, change: Change): Promise<Settings> {
  const { catalogue, file, machine } = state;
  const { storage } = state.host;
  const { editSettings, readSettings, validateSettings } = await import('./file.ts');
  const { restoreMasked } = await import('./masked-urls.ts');
  const known = await form(state);
  const checks = await checksFor(patch, catalogue.checks);
  return exclusively(state, () => {
    const text = storage.read(file) ?? '{}\n';
    const before = readSettings(known, text, machine.current(), file);
    if (before.newer !== null) throw new ServiceError('conflict', before.newer);
    if (before.broken !== null) throw new ServiceError('conflict', `${file} is broken: ${before.broken}. Fix it first`);
    const asked = restoreMasked(before.settings, catalogue.secretUrls, patch);
    const base = change.replacesModules === true ? { ...before.settings, modules: {} } : before.settings;
    const merged = validateSettings(known.schema, mergeSettings(base, asked));
    refuseLocked(before.settings, merged, machine.current().locks);
    refuseProtected(before.settings, merged, change, catalogue.protection);
    for (const check of checks) check(before.settings, merged);
    const edited = editSettings(known, text, before.settings, merged, machine.current());
    // A mistyped key changes nothing, so the file is not written and a service that follows it does not reload.
    if (edited !== text) storage.write(file, edited);
    state.signature = storage.signature(file);
    state.lastText = storage.read(file) ?? '{}';
    announce(state, merged);
    return merged;
  });
}

/** Runs while no other process of Hostler writes the settings. */
function exclusively<T>({ host: { storage, paths }, file }: State, work: () => T): T {
  try {
    storage.prepareDirectory(paths.config);
    return storage.locked(file, work);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The settings cannot be written: ${messageOf(cause)}`, { cause });
  }
}

async function checksFor(patch: unknown, checks: SettingsCatalogue['checks']): Promise<SettingsCheck[]> {
  const given = isObject(patch) ? patch : {};
  const touched = [...checks].filter(([section]) => Object.hasOwn(given, section));
  return await Promise.all(touched.map(([, load]) => load()));
}

function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
}
