import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Change, mergeSettings, refuseProtected } from './change.ts';
import { defaultSettings } from './settings.defaults.ts';
import type { Settings } from './settings.schema.ts';

/** The settings of the running service: the file over the defaults, followed while it changes. */
export interface SettingsStore {
  current(): Settings;
  /** Merges, checks, saves. Who may touch what: change.ts. */
  update(patch: unknown, change: Change): Promise<Settings>;
  onChange(listener: (settings: Settings) => void): () => void;
  /** Follows edits of the file by hand or by the CLI. */
  follow(): void;
  close(): void;
}

export const settingsFileName = 'settings.json';

/** Where the system has no way left to tell of changes. */
const lookEveryMs = 10_000;

export interface SettingsOptions {
  /** Move a broken file out of the way. Only for the service when it starts: somebody may be editing. */
  setAside?: boolean;
}

export async function openSettings(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  log: Log,
  { setAside = false }: SettingsOptions = {},
): Promise<SettingsStore> {
  const file = path.join(paths.config, settingsFileName);
  const listeners = new Set<(settings: Settings) => void>();
  let signature = storage.signature(file);
  let current = await loadAtStart();
  let stopWatching = () => {};
  let cancelReload = () => {};

  async function loadAtStart(): Promise<Settings> {
    const text = storage.read(file);
    if (text === null) return defaultSettings;
    const { readSettings } = await import('./file.ts');
    const { settings, broken, complaints } = readSettings(text);
    for (const complaint of complaints) log.warn(`${file}: ${complaint}`);
    if (broken === null) return settings;
    if (!setAside) {
      log.error(
        `${file} is broken: ${broken}. A running service keeps its previous settings; this command uses the defaults`,
      );
      return defaultSettings;
    }
    const aside = `${file}.broken-${timestamp(clock)}`;
    storage.rename(file, aside);
    log.error(
      `${file} is broken: ${broken}. It was renamed to ${aside}; the service uses the defaults until there is a new file`,
    );
    return defaultSettings;
  }

  const announce = (settings: Settings) => {
    current = settings;
    for (const listener of listeners) listener(settings);
  };

  /** Somebody may be in the middle of editing: a broken file is reported and left alone, the old settings stay. */
  const reload = async () => {
    try {
      const next = storage.signature(file);
      if (next === signature) return;
      signature = next;
      const text = storage.read(file);
      const { readSettings } = await import('./file.ts');
      const { settings, broken, complaints } = readSettings(text ?? '{}');
      for (const complaint of complaints) log.warn(`${file}: ${complaint}`);
      if (broken !== null) return log.warn(`${file} is broken: ${broken}. The previous settings stay in effect`);
      log.info('settings: the file was changed and has been read again');
      announce(settings);
    } catch (error) {
      log.warn(`${file} cannot be read: ${messageOf(error)}. The previous settings stay in effect`);
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

  return {
    current: () => current,
    async update(patch, change) {
      const { editSettings, readSettings, validateSettings } = await import('./file.ts');
      return exclusively(() => {
        const text = storage.read(file) ?? '{}\n';
        const before = readSettings(text);
        if (before.broken !== null)
          throw new ServiceError('conflict', `${file} is broken: ${before.broken}. Fix it first`);
        const merged = validateSettings(mergeSettings(before.settings, patch));
        refuseProtected(before.settings, merged, change);
        storage.write(file, editSettings(text, before.settings, merged));
        signature = storage.signature(file);
        announce(merged);
        return merged;
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow() {
      try {
        storage.prepareDirectory(paths.config);
        stopWatching = storage.watch(paths.config, () => {
          // Editors write in several steps: the last of them counts.
          cancelReload();
          cancelReload = clock.after(50, () => void reload());
        });
      } catch (error) {
        log.warn(
          `${paths.config} cannot be watched (${messageOf(error)}), so it is checked every ${lookEveryMs / 1000} s`,
        );
        lookNowAndThen();
      }
    },
    close() {
      cancelReload();
      stopWatching();
      listeners.clear();
    },
  };
}

function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
}
