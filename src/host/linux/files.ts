import fs from 'node:fs';
import path from 'node:path';
import { readLong } from './proc/long-file.ts';
import { createShortFiles, type ShortFile } from './proc/short-file.ts';

/**
 * Reads the kernel's file systems. Synchronous: they answer from memory, and a promise costs more than the read.
 * Paths are those of the machine; where a root was moved, they are resolved there.
 */
export interface Files {
  /** null: missing or not readable; `denied` distinguishes them. */
  text(path: string): string | null;
  bytes(path: string): Uint8Array | null;
  /** The beginning of a regular file, up to that many bytes. null also for others, such as a pipe; never blocks. */
  plain(path: string, most: number): string | null;
  /** The same as `text`, asynchronously: for files whose device may answer slowly. `most`: only that many bytes of its beginning. */
  textLater(path: string, most?: number): Promise<string | null>;
  /** Names in a directory, sorted with numbers in numeric order; empty without such a directory. */
  list(path: string): string[];
  /** The same in the order of the system, which costs less. */
  entries(path: string): string[];
  /** Names in a long directory, in the order of the system, asynchronously. */
  names(path: string): Promise<string[]>;
  link(path: string): string | null;
  exists(path: string): boolean;
  /** Unix milliseconds. */
  modified(path: string): number | null;
  moved(path: string): boolean;
  /** It exists, but is not readable. */
  denied(path: string): boolean;
  /** A file that is read repeatedly: its descriptor stays open. */
  keep(path: string): PersistentFile;
  /** The text of a long table as Latin-1, in steps between which other work can run. */
  long(path: string): Generator<void, string | null>;
  /** One of many short files that are read repeatedly. */
  short(path: string): ShortFile;
}

export interface PersistentFile {
  /** The current text as Latin-1. null: missing or not readable. */
  text(): string | null;
  /** The content as a whole number, as in /sys. null: not readable now, or not a number. */
  number(): number | null;
  close(): void;
}

/** Directories that can be moved, for containers (`HOSTLER_PROC=/host/proc`) and for tests. */
export interface Roots {
  /** Moves all the others. */
  all?: string | undefined;
  proc?: string | undefined;
  sys?: string | undefined;
  dev?: string | undefined;
  etc?: string | undefined;
}

export function rootsFrom(variable: (name: string) => string | null): Roots {
  return {
    all: variable('HOSTLER_ROOT') ?? undefined,
    proc: variable('HOSTLER_PROC') ?? undefined,
    sys: variable('HOSTLER_SYS') ?? undefined,
    dev: variable('HOSTLER_DEV') ?? undefined,
    etc: variable('HOSTLER_ETC') ?? undefined,
  };
}

export function createFiles(roots: Roots): Files {
  const isMoved = Object.values(roots).some((root) => root !== undefined);
  const at = (file: string) => (isMoved ? locate(roots, file) : file);
  const read = (file: string): Buffer | null => orNull(() => fs.readFileSync(at(file)));
  // Reading is synchronous, so all persistent files share one buffer.
  const page = Buffer.allocUnsafeSlow(8192);
  const scratch: Scratch = { buffer: page };
  const short = createShortFiles();
  return {
    text: (file) => orNull(() => readText(at(file), page)),
    bytes: read,
    plain: (file, most) => orNull(() => readPlain(at(file), most)),
    textLater: (file, most) =>
      (most === undefined ? fs.promises.readFile(at(file), 'utf8') : readBeginning(at(file), most)).catch(() => null),
    list: (directory) => (orNull(() => fs.readdirSync(at(directory))) ?? []).sort(byNameAndNumber),
    entries: (directory) => orNull(() => fs.readdirSync(at(directory))) ?? [],
    names: (directory) => fs.promises.readdir(at(directory)).catch(() => []),
    link: (file) => orNull(() => fs.readlinkSync(at(file))),
    exists: (file) => fs.existsSync(at(file)),
    // An exception costs ten times as much as this check, and most of the requested files are missing.
    modified: (file) => orNull(() => fs.statSync(at(file), { throwIfNoEntry: false })?.mtimeMs ?? null),
    moved: (file) => at(file) !== file,
    denied: (file) => fs.existsSync(at(file)) && !isReadable(at(file)),
    keep: (file) => keepOpen(at(file), scratch),
    long: (file) => readLong(at(file), () => scratch.buffer),
    short: (file) => short(at(file)),
  };
}

export function locate({ all, ...moved }: Roots, file: string): string {
  const end = file.indexOf('/', 1);
  const root = moved[file.slice(1, end === -1 ? undefined : end) as keyof typeof moved];
  if (root !== undefined) return end === -1 ? root : path.join(root, file.slice(end));
  return all === undefined ? file : path.join(all, file);
}

/** Vanished and unreadable files are common in /proc and /sys: they read as missing. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** cpu2 before cpu10. Without Intl, whose tables take 4 MB. */
function byNameAndNumber(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? [];
  const right = b.match(/\d+|\D+/g) ?? [];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    return Number(part) - Number(other) || (part < other ? -1 : 1);
  }
  return left.length - right.length;
}

function readPlain(file: string, most: number): string | null {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
  try {
    if (!fs.fstatSync(descriptor).isFile()) return null;
    const buffer = Buffer.allocUnsafe(most);
    return buffer.toString('utf8', 0, fs.readSync(descriptor, buffer, 0, most, 0));
  } finally {
    fs.closeSync(descriptor);
  }
}

async function readBeginning(file: string, most: number): Promise<string> {
  const handle = await fs.promises.open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(most), 0, most, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The kernel clears as much memory as the size of a read from /proc/sys, and `readFileSync` asks for much more than a page. */
function readText(file: string, buffer: Buffer): string {
  const descriptor = fs.openSync(file, 'r');
  try {
    let length = 0;
    while (length < buffer.length) {
      const got = fs.readSync(descriptor, buffer, length, buffer.length - length, null);
      if (got === 0) return buffer.toString('utf8', 0, length);
      length += got;
    }
  } finally {
    fs.closeSync(descriptor);
  }
  return fs.readFileSync(file, 'utf8');
}

interface Scratch {
  buffer: Buffer;
}

function keepOpen(file: string, scratch: Scratch): PersistentFile {
  let descriptor: number | null = null;
  const close = () => {
    if (descriptor !== null) fs.closeSync(descriptor);
    descriptor = null;
  };
  return {
    text() {
      try {
        descriptor ??= fs.openSync(file, 'r');
        let length = 0;
        for (;;) {
          const { buffer } = scratch;
          const got = fs.readSync(descriptor, buffer, length, buffer.length - length, length);
          // Only an empty read is the end: the kernel returns long tables in pieces.
          if (got === 0) return buffer.toString('latin1', 0, length);
          length += got;
          if (length < buffer.length) continue;
          scratch.buffer = Buffer.allocUnsafeSlow(buffer.length * 2);
          buffer.copy(scratch.buffer);
        }
      } catch {
        close();
        return null;
      }
    },
    number() {
      try {
        descriptor ??= fs.openSync(file, 'r');
        return parseWholeNumber(scratch.buffer, fs.readSync(descriptor, scratch.buffer, 0, longestNumber, 0));
      } catch {
        close();
        return null;
      }
    },
    close,
  };
}

const longestNumber = 32;

/** Without an intermediate string, which would cost as much as the read. */
function parseWholeNumber(bytes: Uint8Array, length: number): number | null {
  const negative = bytes[0] === 0x2d;
  let value = 0;
  let at = negative ? 1 : 0;
  const first = at;
  for (; at < length; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const ended = at === length || bytes[at] === 0x0a || bytes[at] === 0x20;
  if (at === first || !ended) return null;
  return negative ? -value : value;
}
