import fs from 'node:fs';
import path from 'node:path';
import { createClock } from './clock.ts';
import { watchDirectory } from './watch-directory.ts';

/** How other users could change a file or directory of ours. */
export interface Exposure {
  /** The problem, as the rest of a sentence about the path: "it belongs to alice". */
  problem: string;
  fix: string;
}

/** Our own files. Writing is atomic; private files are readable by their owner only. */
export interface Storage {
  /** Files of the administrator for all users of the machine; left out: this platform has no such place. */
  machine?: MachineFiles;
  /**
   * null: there is no such file. Throws when it may not be read, is longer than any of ours, or is no file; with `owned` also when it belongs
   * to a user other than this one and root.
   */
  read(file: string, options?: { owned?: boolean }): string | null;
  write(file: string, text: string): void;
  /**
   * Appends a line. A file that would become too long is renamed to `.1`, and a new one begins. `heading`
   * gets the content of the previous `.1`, which is discarded; its result becomes the first line of the new file.
   */
  append(file: string, line: string, maxBytes: number, heading?: (gone: string) => string | null): void;
  remove(file: string): void;
  rename(from: string, to: string): void;
  removeDirectory(directory: string): void;
  /** Creates a directory for the owner only; an existing usable one is unchanged. */
  prepareDirectory(directory: string): void;
  /** Changes whenever the file does; null: it does not exist. */
  signature(file: string): string | null;
  /** Runs `work` on `file` under a lock that excludes other processes of ours. */
  locked<T>(file: string, work: () => T): T;
  isDirectory(place: string): boolean;
  /** Whether a file belongs to the user of this process. */
  isOurs(file: string): boolean;
  /** The permissions of a file as the last nine bits of its mode; null: there is no such file, or the system has no such bits. */
  permissions(file: string): number | null;
  /** How other users could change a file or directory of ours; null: they cannot. */
  exposure(place: string): Exposure | null;
  /** How other users could read or change a file that the user made for a secret; null: they cannot. */
  secretExposure(file: string): Promise<Exposure | null>;
  /** Calls back when something in the directory changed, with its name where the system reports it; returns the function that stops. */
  watch(directory: string, changed: (name: string | null) => void): () => void;
}

/**
 * Files that only the administrator of the machine can change. Names are relative to their directory. Reading and listing throw what passes,
 * such as a lack of descriptors.
 */
export interface MachineFiles {
  directory: string;
  /** null: it does not exist. */
  read(name: string): { text: string } | MachineFileRefusal | null;
  /** Names in a subdirectory; empty if it does not exist. */
  list(name: string): string[];
  /** For an administrator: writes a file that everyone may read, and creates the directory. */
  write(name: string, text: string): Promise<void>;
  /** Changes whenever the file, or anything in the directory, does. */
  signature(name: string): string;
  /** Calls back when something there changed, as far as the system reports it; returns the function that stops. */
  watch(name: string, changed: () => void): () => void;
}

/** Why a file of the administrator is not used: it cannot be read, or others could have written it. */
export interface MachineFileRefusal {
  refusal: string;
  /** An ordinary user could have created it, so it does not come from the administrator. */
  isPlanted?: true;
}

/** `exposure` is the platform's check of permissions. */
export function createStorage(exposure: Storage['exposure']): Storage {
  const clock = createClock();
  return {
    read: readText,
    write: (file, text) => plainly(file, () => writeAtomically(file, text)),
    append: (file, line, maxBytes, heading) => plainly(file, () => append(file, line, maxBytes, heading)),
    remove: (file) => fs.rmSync(file, { force: true }),
    rename: (from, to) => fs.renameSync(from, to),
    removeDirectory: (directory) => fs.rmSync(directory, { recursive: true, force: true }),
    prepareDirectory(directory) {
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    },
    signature(file) {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? null : `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.size}`;
    },
    locked: (file, work) => plainly(file, () => locked(file, work)),
    isDirectory: (place) => fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false,
    isOurs(file) {
      const owner = fs.lstatSync(file, { throwIfNoEntry: false })?.uid;
      return owner !== undefined && owner === (process.getuid?.() ?? owner);
    },
    permissions(file) {
      const stat = process.getuid === undefined ? undefined : fs.statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? null : stat.mode & 0o777;
    },
    exposure,
    async secretExposure(file) {
      const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
      if ((mode & 0o077) === 0) return exposure(file);
      return { problem: `its mode is ${(mode & 0o777).toString(8)}`, fix: `chmod 600 ${file}` };
    },
    watch(directory, changed) {
      return watchDirectory(directory, clock, changed);
    },
  };
}

/** Replaces the message of errors about full disks by a sentence for users. The code stays. */
function plainly<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOSPC') throw Object.assign(new Error(`the disk with ${path.dirname(file)} is full`), { code });
    if (code === 'EDQUOT')
      throw Object.assign(new Error(`this user has no space left on the disk with ${path.dirname(file)}`), { code });
    throw error;
  }
}

function append(file: string, line: string, maxBytes: number, heading?: (gone: string) => string | null): void {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size + Buffer.byteLength(line) < maxBytes) return add(file, line);
  const gone = heading === undefined ? null : readText(`${file}.1`);
  const first = gone === null ? null : heading?.(gone);
  fs.renameSync(file, `${file}.1`);
  add(file, first ? `${first}\n${line}` : line);
}

/** Far above any file of ours; reading blocks the process, and takes as much memory again. */
const mostBytes = 64 * 1024 * 1024;

function readText(file: string, { owned = false } = {}): string | null {
  let descriptor: number;
  try {
    // Does not wait for the other end of a pipe. Windows has no such flag.
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    // A device or a pipe behind a link may never end.
    if (!stat.isFile()) throw new Error(`${file} is not a file`);
    if (owned && stat.uid !== 0 && stat.uid !== (process.getuid?.() ?? stat.uid))
      throw new Error(`${file} belongs to another user (${stat.uid})`);
    if (stat.size > mostBytes) throw new Error(`${file} is larger than ${mostBytes / 1024 / 1024} MiB`);
    return fs.readFileSync(descriptor, 'utf8');
  } finally {
    fs.closeSync(descriptor);
  }
}

function add(file: string, line: string): void {
  fs.appendFileSync(file, `${line}\n`, { mode: 0o600 });
}

/** 0600 from the first byte; on disk before it gets its name. An existing link stays a link. */
function writeAtomically(named: string, text: string): void {
  const file = fs.existsSync(named) ? fs.realpathSync(named) : named;
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    const descriptor = fs.openSync(temporary, 'wx', 0o600);
    try {
      fs.writeFileSync(descriptor, text);
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(path.dirname(file));
}

/** The rename itself must survive a power cut. Not every system lets a directory be opened. */
function syncDirectory(directory: string): void {
  try {
    const descriptor = fs.openSync(directory, 'r');
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
  } catch {}
}

const lockTimeoutMs = 1000;
const lockStaleMs = 10_000;

function locked<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  const deadline = Date.now() + lockTimeoutMs;
  for (;;) {
    try {
      fs.closeSync(fs.openSync(lock, 'wx', 0o600));
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const stat = fs.statSync(lock, { throwIfNoEntry: false });
      // Its owner died while holding it: the work takes milliseconds.
      if (stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > lockStaleMs) fs.rmSync(lock, { force: true });
      else if (Date.now() > deadline)
        throw new Error(`${lock} is held by another process; remove it if that process no longer runs`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  try {
    return work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
