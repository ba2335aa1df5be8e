import path from 'node:path';
import type { Later } from '../../lib/later.ts';
import type { Exposure } from '../storage.ts';

/**
 * Files inside a directory that must not be left, neither by `..` nor by a link. Files that may hang, because they are on another machine
 * or depend on a program, are accessed in another thread and return a promise; all others return at once.
 */
export interface Contained {
  /** Resolves `path` relative to the directory `base`, without side effects on pipes, sockets and devices. The caller closes the result. */
  find(base: string, path: string): Outcome<ContainedEntry> | Promise<Outcome<ContainedEntry>>;
  /**
   * Whether a file lies in a directory of this service itself; such files are never served. `identities`, those of its facts, also recognise
   * the directory behind a bind mount.
   */
  isOurs(realPath: string, identities?: readonly string[]): boolean;
  /** Whether accessing a file may hang, by its place or by a link on the way. */
  mayHang(file: string): boolean;
  /**
   * How users other than the administrator and our own can change a file, link or directory; `isAbove`: or replace what is in a directory
   * above that of a file; null: they cannot; left out: unknown here.
   */
  exposureOf?(facts: Owned, isAbove: boolean): Later<Exposure | null>;
  /** The symbolic links that are followed on the way to a file, which must exist; left out: unknown here. */
  linksTo?(file: string): Owned[];
}

export type Outcome<T> = T | ContainedProblem;

/**
 * `missing` also: no such base; `denied`: this process lacks permission; `disconnected`: the server of the file cannot be reached;
 * `silent`: no answer in time; `crowded`: no request was made, since too many others are silent or busy; `busy`: another program
 * has exclusive access.
 */
export type ContainedProblem =
  | 'escapes'
  | 'missing'
  | 'denied'
  | 'not_regular'
  | 'busy'
  | 'disconnected'
  | 'silent'
  | 'crowded';

export interface ContainedFacts {
  /** Its real name, after all links. */
  realName: string;
  realPath: string;
  /** The same relative to the real base; empty for the base itself. */
  realInside: string;
  kind: 'file' | 'directory' | 'other';
  size: number;
  /** Unix milliseconds. */
  modifiedMs: number;
  mode: number;
  /** Number of its owner; 0 where the system has none. */
  user: number;
  /** Number of its group; 0 where the system has none. */
  group: number;
  /** Device and inode of each directory above it, and of itself if it is one; see `identityOf`. */
  identities: string[];
  /** Changes whenever the content may have changed. */
  version: string;
}

/** The real path of something, and its permissions. */
export type Owned = Pick<ContainedFacts, 'realPath' | 'mode' | 'user' | 'group' | 'kind'>;

export interface ContainedEntry extends ContainedFacts {
  /** Opens a regular file for reading: this one, also if it was renamed or replaced meanwhile. */
  open(): Outcome<OpenedFile> | Promise<Outcome<OpenedFile>>;
  /** The content of a directory: this one, also if it was renamed or replaced meanwhile. Valid until this is closed. */
  list(): Promise<Outcome<Listing>>;
  close(): void;
}

export interface Listing {
  count: number;
  /** The entries of the names from `start` up to `end`; removed ones are left out. */
  entries(start: number, end: number): Outcome<Listed[]> | Promise<Outcome<Listed[]>>;
}

/** The entry of a name. Links are not followed. */
export interface Listed extends Pick<ContainedFacts, 'size' | 'modifiedMs' | 'mode'> {
  name: string;
  /** `elsewhere`: a mount that may hang, which was not accessed; its numbers are 0. */
  kind: 'file' | 'directory' | 'link' | 'other' | 'elsewhere';
}

export interface OpenedFile {
  /** Opens the very same file again as long as this one is open; null where the system has no such path. */
  path: string | null;
  /** Bytes from `start` up to `end`; fewer where the file is shorter. A patient caller never gets `silent`. */
  read(start: number, end: number, patient?: boolean): Outcome<Bytes> | Promise<Outcome<Bytes>>;
  /** Earlier requests are still answered. A second call does nothing: the number may belong to another file by then. */
  close(): void;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** The synchronous result. */
export interface LocalEntry extends ContainedEntry {
  open(): Outcome<LocalFile>;
  listAtOnce(untouched: ReadonlySet<string>): Outcome<LocalListing>;
}

/** The names in a directory that must not be accessed, by its real path. */
export type UntouchedIn = (place: string) => ReadonlySet<string>;

export interface LocalListing extends Listing {
  entries(start: number, end: number): Outcome<Listed[]>;
}

export interface LocalFile extends OpenedFile {
  read(start: number, end: number): Bytes;
}

/** Checks the request before any file is accessed. */
export const inside =
  (find: Contained['find']): Contained['find'] =>
  (base, asked) => {
    const relative = relativeInside(asked, path);
    return relative === null ? 'escapes' : find(base, relative);
  };

/** Of Linux, in bytes. */
const longestPath = 4095;

/** The path without dots and doubled separators; null when it leaves its directory, or contains a name that no directory can have. */
export function relativeInside(
  asked: string,
  { isAbsolute, normalize, sep }: Pick<typeof path.posix, 'isAbsolute' | 'normalize' | 'sep'>,
): string | null {
  if (asked.includes('\0') || isAbsolute(asked) || (sep === '/' && asked.length > longestPath)) return null;
  const relative = normalize(asked);
  const names = relative.split(sep);
  if (names[0] === '..') return null;
  return sep === '\\' && names.some(isSpecialOnWindows) ? null : relative;
}

/** Drives and streams (`:`), devices, and endings that Windows drops. */
function isSpecialOnWindows(name: string): boolean {
  return (
    /:/.test(name) ||
    /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\.|$)/i.test(name) ||
    /[^.][. ]$|^\.{3,}$| $/.test(name)
  );
}
