import type { MachineFiles } from '../host/storage.ts';
import { messageOf } from '../lib/errors.ts';
import { UnusableFile } from '../lib/file-version.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsCatalogue } from './catalogue.ts';
import { type MachineSettings, noMachineSettings } from './locks.ts';

export const machineSettingsFile = 'settings.json';

const unknownLocks = (why: string) =>
  new UnusableFile(`${why}. Hostler does not start, because it is unknown which settings are locked`);

/** The administrator's part of the settings, as last read. */
export interface MachineLayer {
  current(): MachineSettings;
  /** Reads it if it changed; true: it has another content now. Nothing is loaded where there is no such file. Throws if it cannot be read now. */
  read(): Promise<boolean>;
  /** Calls back when it may have changed; returns the function that stops it. */
  watch(changed: () => void): () => void;
}

export function createMachineLayer(
  { defaults, schema }: Pick<SettingsCatalogue, 'defaults' | 'schema'>,
  files: MachineFiles | undefined,
  log: Log,
): MachineLayer {
  const none = noMachineSettings(defaults);
  let current = none;
  let seen = '';
  let isFirst = true;
  if (files === undefined) return { current: () => current, read: async () => false, watch: () => () => {} };
  const file = `${files.directory}/${machineSettingsFile}`;

  /** null: the previous settings stay. At the start there are none, and a guess could bypass a lock. */
  const load = async (found: ReturnType<MachineFiles['read']>, atStart: boolean): Promise<MachineSettings | null> => {
    if (found === null) return none;
    if ('refusal' in found && found.isPlanted === true) {
      log.error(`settings: ${found.refusal}. It is ignored`);
      return current;
    }
    const { machine, unusable, complaints } =
      'refusal' in found
        ? { machine: current, unusable: found.refusal, complaints: [] }
        : (await import('./administrator-settings.ts')).readMachineSettings(
            { schema: await schema(), defaults },
            found.text,
            file,
          );
    for (const complaint of complaints) log.warn(`${file}: ${complaint}`);
    if (unusable === null) return machine;
    if (atStart) throw unknownLocks(unusable);
    log.error(`${unusable}. The administrator's previous settings stay in effect`);
    return null;
  };

  const readNow = (atStart: boolean) => {
    try {
      return files.read(machineSettingsFile);
    } catch (error) {
      throw atStart ? unknownLocks(messageOf(error)) : error;
    }
  };

  return {
    current: () => current,
    async read() {
      const signature = files.signature(machineSettingsFile);
      const atStart = isFirst;
      isFirst = false;
      if (signature === seen) return false;
      const next = await load(readNow(atStart), atStart);
      seen = signature;
      if (next === null) return false;
      current = next;
      return true;
    },
    watch(changed) {
      let stop = () => {};
      // While the directory does not exist, its parent is watched; a replaced directory is followed.
      const arm = () => {
        stop();
        stop = files.watch(files.signature('.') === '' ? '..' : '.', () => {
          arm();
          changed();
        });
      };
      arm();
      return () => stop();
    },
  };
}
