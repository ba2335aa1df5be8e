import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ServiceError } from '../lib/errors.ts';
import type { Storage } from './storage.ts';

/** Files for other programs of the same user, such as the picture of a notification; all are removed at the end of the service. */
export interface Scratch {
  /** Absolute path of a new file with these bytes; only its owner can read it. Throws rate_limited if all files together become too large. */
  put(bytes: Uint8Array, extension: string): string;
  /** Removes the files that `put` created, and no others. */
  remove(file: string): void;
  close(): void;
}

const prefix = 'hostler-files-';
/** Of all files together: the runtime directory is in memory. */
const mostBytes = 32 * 1024 * 1024;

/** In the runtime directory, which is in memory and ends with the session; without one in the directory for temporary files. */
export function createScratch(
  runtime: string | null,
  isRunning: (pid: number) => boolean,
  exposure: Storage['exposure'],
): Scratch {
  /** With their sizes. */
  const made = new Map<string, number>();
  let directory: string | null = null;
  let identity = '';
  let count = 0;
  const prepared = (): string => {
    // Where temporary files are removed after a while, another user could have made one of this name since.
    if (directory !== null && identityOf(directory) === identity) return directory;
    // After "su" it is often that of another user.
    const isOurs = runtime !== null && fs.existsSync(runtime) && exposure(runtime) === null;
    const place = isOurs ? runtime : os.tmpdir();
    removeLeftOver(place, isRunning);
    directory = fs.mkdtempSync(path.join(place, `${prefix}${process.pid}-`));
    identity = identityOf(directory);
    return directory;
  };
  return {
    put(bytes, extension) {
      const used = made.values().reduce((sum, size) => sum + size, 0);
      if (used + bytes.length > mostBytes)
        throw new ServiceError('rate_limited', 'Too many pictures and sounds are in use; try again later', {
          retryAfterSeconds: 10,
        });
      count += 1;
      const file = path.join(prepared(), `${count}${extension}`);
      fs.writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
      made.set(file, bytes.length);
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

/** Empty: there is none. Its time of creation is that of its last change on some file systems. */
function identityOf(directory: string): string {
  const stat = fs.lstatSync(directory, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.dev} ${stat.ino} ${stat.uid}`;
}

/** Whether a path belongs to the files of any instance of the service. */
export const isScratch = (file: string) => /[/\\]hostler-files-\d+-\w+([/\\]|$)/.test(file);

/** Removes files of a killed service. */
function removeLeftOver(place: string, isRunning: (pid: number) => boolean): void {
  try {
    for (const name of fs.readdirSync(place)) {
      const [, pid] = /^hostler-files-(\d+)-\w+$/.exec(name) ?? [];
      const directory = path.join(place, name);
      // Windows has a directory for temporary files of each user, and no numeric user ids.
      const isOurs = pid !== undefined && fs.lstatSync(directory).uid === (process.getuid?.() ?? 0);
      if (isOurs && !isRunning(Number(pid))) fs.rmSync(directory, { recursive: true, force: true });
    }
  } catch {
    // A file that cannot be removed is harmless.
  }
}
