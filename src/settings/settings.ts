import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import { NewerFile } from '../lib/file-version.ts';
import type { Log } from '../lib/log.ts';
import { isObject } from '../lib/values.ts';
import { createMachineLayer } from './administrator-layer.ts';
import type { SettingsCatalogue } from './catalogue.ts';
import { type Change, mayChange, mergeSettings, refuseProtected } from './change.ts';
import type { ReadSettings } from './file.ts';
import { isLocked, refuseLocked, type SettingsLocks } from './locks.ts';
import type { SettingsCheck } from './sections.ts';
import type { Settings } from './settings.schema.ts';

/** The settings of the running service: the file over the defaults, and what the administrator locked over both; followed while they change. */
export interface SettingsStore {
  current(): Settings;
  /** Those for a caller, with secrets in URLs masked unless this caller may change them; null: a caller that may change nothing. */
  shown(change: Change | null): Promise<Settings>;
  /** What the user cannot change; null: everything can be. */
  locks(): SettingsLocks | null;
  /** Merges, checks, saves. Who may touch what: change.ts. */
  update(patch: unknown, change: Change): Promise<Settings>;
  onChange(listener: (settings: Settings) => void): () => void;
  /** Reads the file again if it changed since. Where it is broken, the previous settings stay, and the log says so. */
  reload(): Promise<void>;
  /** Follows edits of the file by hand or by the CLI. */
  follow(): void;
  close(): void;
}

export const settingsFileName = 'settings.json';

/** Where the system has no way left to tell of changes. */
const lookEveryMs = 10_000;

export interface SettingsOptions {
  /** Move a broken file out of the way. Only for the service when it starts: the user may be editing. */
  setAside?: boolean;
}

export async function openSettings(
  catalogue: SettingsCatalogue,
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  log: Log,
  { setAside = false }: SettingsOptions = {},
): Promise<SettingsStore> {
  const file = path.join(paths.config, settingsFileName);
  const listeners = new Set<(settings: Settings) => void>();
  const form = async () => ({ schema: await catalogue.schema(), defaults: catalogue.defaults });
  const machine = createMachineLayer(catalogue, storage.machine, log);
  await machine.read();
  let signature = storage.signature(file);
  // As it was when it last made sense: the administrator's part may change while somebody is editing.
  let lastText = '{}';
  let current = await loadAtStart();
  let stopWatching = () => {};
  let stopWatchingMachine = () => {};
  let cancelReload = () => {};

  async function loadAtStart(): Promise<Settings> {
    const text = storage.read(file);
    const { defaults, locks } = machine.current();
    if (text === null && locks === null) return defaults;
    const { settings, broken, newer } = await parse(text ?? '{}');
    if (newer !== null) throw new NewerFile(newer);
    if (broken === null) return settings;
    if (!setAside) {
      log.error(
        `${file} is broken: ${broken}. A running service keeps its previous settings; this command uses the defaults`,
      );
      return settings;
    }
    const aside = `${file}.broken-${timestamp(clock)}`;
    storage.rename(file, aside);
    log.error(
      `${file} is broken: ${broken}. It was renamed to ${aside}; the service uses the defaults until there is a new file`,
    );
    return settings;
  }

  /** What is not taken is said. */
  async function parse(text: string): Promise<Pick<ReadSettings, 'settings' | 'broken' | 'newer'>> {
    const settings = await parsePlain(text);
    if (settings !== null) {
      lastText = text;
      return { settings, broken: null, newer: null };
    }
    const { readSettings } = await import('./file.ts');
    const read = readSettings(await form(), text, machine.current(), file);
    if (read.broken === null && read.newer === null) lastText = text;
    for (const complaint of read.complaints) log.warn(`${file}: ${complaint}`);
    for (const key of read.overruled)
      log.warn(`${file}: ${key} is not used, because ${machine.current().locks?.file} locks it to another value`);
    return read;
  }

  async function parsePlain(text: string): Promise<Settings | null> {
    const rules = await catalogue.plainRules();
    if (rules === null) return null;
    const { readPlainSettings } = await import('./plain-settings.ts');
    return readPlainSettings(rules, text, machine.current(), file);
  }

  const announce = (settings: Settings) => {
    current = settings;
    for (const listener of listeners) listener(settings);
  };

  /** Somebody may be in the middle of editing: a broken file is reported and left alone, the old settings stay. */
  const reload = async () => {
    let isMachineChanged = false;
    try {
      isMachineChanged = await machine.read();
      const next = storage.signature(file);
      if (next === signature && !isMachineChanged) return;
      signature = next;
      const { settings, broken, newer } = await parse(storage.read(file) ?? '{}');
      if (broken !== null || newer !== null) {
        log.warn(`${newer ?? `${file} is broken: ${broken}`}. The previous settings stay in effect`);
        if (isMachineChanged) announce((await parse(lastText)).settings);
        return;
      }
      log.info('settings: they were changed and have been read again');
      announce(settings);
    } catch (error) {
      log.warn(`${file} cannot be read: ${messageOf(error)}. The previous settings stay in effect`);
      // A user must not keep a lock away by making the own file unreadable.
      if (isMachineChanged) announce((await parse(lastText)).settings);
    }
  };

  /** While no other process of ours writes them. */
  const exclusively = <T>(work: () => T): T => {
    try {
      storage.prepareDirectory(paths.config);
      return storage.locked(file, work);
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError('failed', `The settings cannot be written: ${messageOf(cause)}`, { cause });
    }
  };

  const lookNowAndThen = () => {
    cancelReload = clock.after(lookEveryMs, () => {
      void reload();
      lookNowAndThen();
    });
  };

  // Editors write in several steps: the last of them counts.
  const reloadSoon = () => {
    cancelReload();
    cancelReload = clock.after(50, () => void reload());
  };

  return {
    current: () => current,
    locks: () => machine.current().locks,
    async shown(change) {
      const { maskSettings } = await import('./masked-urls.ts');
      const { locks } = machine.current();
      return maskSettings(
        current,
        catalogue.secretUrls,
        (key) => change !== null && mayChange(key, current, change, catalogue.protection) && !isLocked(locks, key),
      );
    },
    async update(patch, change) {
      const { editSettings, readSettings, validateSettings } = await import('./file.ts');
      const { restoreMasked } = await import('./masked-urls.ts');
      const known = await form();
      const checks = await checksFor(patch, catalogue.checks);
      return exclusively(() => {
        const text = storage.read(file) ?? '{}\n';
        const before = readSettings(known, text, machine.current(), file);
        if (before.newer !== null) throw new ServiceError('conflict', before.newer);
        if (before.broken !== null)
          throw new ServiceError('conflict', `${file} is broken: ${before.broken}. Fix it first`);
        const asked = restoreMasked(before.settings, catalogue.secretUrls, patch);
        const merged = validateSettings(known.schema, mergeSettings(before.settings, asked));
        refuseLocked(before.settings, merged, machine.current().locks);
        refuseProtected(before.settings, merged, change, catalogue.protection);
        for (const check of checks) check(before.settings, merged);
        const edited = editSettings(known, text, before.settings, merged, machine.current());
        // A mistyped key changes nothing: a service that follows the file must not take it for a change.
        if (edited !== text) storage.write(file, edited);
        signature = storage.signature(file);
        lastText = storage.read(file) ?? '{}';
        announce(merged);
        return merged;
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reload,
    follow() {
      try {
        storage.prepareDirectory(paths.config);
        stopWatchingMachine = machine.watch(reloadSoon);
        stopWatching = storage.watch(paths.config, reloadSoon);
      } catch (error) {
        log.warn(
          `${paths.config} cannot be watched (${messageOf(error)}), so it is checked every ${lookEveryMs / 1000} s`,
        );
        // A look finds what the administrator changed as well; an event in between would end the looking.
        stopWatchingMachine();
        lookNowAndThen();
      }
    },
    close() {
      cancelReload();
      stopWatching();
      stopWatchingMachine();
      listeners.clear();
    },
  };
}

async function checksFor(patch: unknown, checks: SettingsCatalogue['checks']): Promise<SettingsCheck[]> {
  const given = isObject(patch) ? patch : {};
  const touched = [...checks].filter(([section]) => Object.hasOwn(given, section));
  return await Promise.all(touched.map(([, load]) => load()));
}

function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
}
