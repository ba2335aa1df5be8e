import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Storage } from './storage.ts';

/** Files for other programs of the same user, such as the picture of a notification; none of them outlives the service. */
export interface Scratch {
  /** Absolute path of a new file with these bytes; only its owner can read it. */
  put(bytes: Uint8Array, extension: string): string;
  /** Removes what `put` has made, and nothing else. */
  remove(file: string): void;
  close(): void;
}

const prefix = 'hostler-files-';

/** In the runtime directory, which is in memory and ends with the session; without one where temporary files lie. */
export function createScratch(
  runtime: string | null,
  isRunning: (pid: number) => boolean,
  exposure: Storage['exposure'],
): Scratch {
  const made = new Set<string>();
  let directory: string | null = null;
  let count = 0;
  const prepared = (): string => {
    if (directory !== null && fs.existsSync(directory)) return directory;
    // After "su" it is often still the one of another user.
    const isOurs = runtime !== null && fs.existsSync(runtime) && exposure(runtime) === null;
    const place = isOurs ? runtime : os.tmpdir();
    removeLeftOver(place, isRunning);
    directory = fs.mkdtempSync(path.join(place, `${prefix}${process.pid}-`));
    return directory;
  };
  return {
    put(bytes, extension) {
      count += 1;
      const file = path.join(prepared(), `${count}${extension}`);
      fs.writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
      made.add(file);
      return file;
    },
    remove(file) {
      if (made.delete(file)) fs.rmSync(file, { force: true });
    },
    close() {
      if (directory !== null) fs.rmSync(directory, { recursive: true, force: true });
      directory = null;
      made.clear();
    },
  };
}

/** Whether a path lies among the files of any service of ours, this one's or another's. */
export const isScratch = (file: string) => /[/\\]hostler-files-\d+-\w+([/\\]|$)/.test(file);

/** One that was killed could not. */
function removeLeftOver(place: string, isRunning: (pid: number) => boolean): void {
  try {
    for (const name of fs.readdirSync(place)) {
      const [, pid] = /^hostler-files-(\d+)-\w+$/.exec(name) ?? [];
      const directory = path.join(place, name);
      // Windows has a directory for temporary files of each user, and no numbers of users.
      const isOurs = pid !== undefined && fs.lstatSync(directory).uid === (process.getuid?.() ?? 0);
      if (isOurs && !isRunning(Number(pid))) fs.rmSync(directory, { recursive: true, force: true });
    }
  } catch {
    // What cannot be removed does no harm.
  }
}
