import type { MachineFiles } from '../host/storage.ts';
import { NewerFile } from '../lib/file-version.ts';
import type { Log } from '../lib/log.ts';
import { type MachineSettings, noMachineSettings } from './locks.ts';

export const machineSettingsFile = 'settings.json';

/** The administrator's part of the settings, as it was read last. */
export interface MachineLayer {
  current(): MachineSettings;
  /** Reads it if it changed since; true: something else holds now. Nothing is loaded where there is no such file. */
  read(): Promise<boolean>;
  /** Calls back when it may have changed; returns the way to stop. */
  watch(changed: () => void): () => void;
}

export function createMachineLayer(files: MachineFiles | undefined, log: Log): MachineLayer {
  let current = noMachineSettings;
  let seen = '';
  let isFirst = true;
  if (files === undefined) return { current: () => current, read: async () => false, watch: () => () => {} };
  const file = `${files.directory}/${machineSettingsFile}`;

  /** null: what holds already stays. A file that cannot be used must not open what it locked a moment ago. */
  const load = async (atStart: boolean): Promise<MachineSettings | null> => {
    const found = files.read(machineSettingsFile);
    if (found === null) return noMachineSettings;
    const stays = current === noMachineSettings ? 'It is ignored' : 'What it said before stays in effect';
    if ('refusal' in found) {
      log.error(`settings: ${found.refusal}. ${stays}`);
      return null;
    }
    const { readMachineSettings } = await import('./machine-settings.ts');
    const { machine, broken, complaints, newer } = readMachineSettings(found.text, file);
    if (newer !== null) {
      // Nothing is locked yet that could stay locked, and what it locks cannot be known.
      if (atStart) throw new NewerFile(newer);
      log.error(`${newer}. What held before stays in effect`);
      return null;
    }
    for (const complaint of complaints) log.warn(`${file}: ${complaint}`);
    if (broken === null) return machine;
    log.error(`${file} is broken: ${broken}. ${stays}`);
    return null;
  };

  return {
    current: () => current,
    async read() {
      const signature = files.signature(machineSettingsFile);
      const atStart = isFirst;
      isFirst = false;
      if (signature === seen) return false;
      seen = signature;
      const next = await load(atStart);
      if (next === null) return false;
      current = next;
      return true;
    },
    watch(changed) {
      let stop = () => {};
      // A directory that is not there yet is waited for in the one above it, and one that was replaced is followed.
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
