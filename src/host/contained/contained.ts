import path from 'node:path';
import type { Exposure } from '../storage.ts';

/**
 * Files inside a directory that must not be left, neither by `..` nor by a link. What may hang, because it lies on another machine
 * or depends on a program, is done in another thread and promised; everything else is there at once.
 */
export interface Contained {
  /** What `path` stands for, relative to the directory `base`. Looking has no effect on a pipe, a socket or a device. Close what you get. */
  find(base: string, path: string): Outcome<ContainedEntry> | Promise<Outcome<ContainedEntry>>;
  /**
   * Whether a file lies in a directory of this service itself; such files are never served. `identities`, those of its facts, also recognise
   * the directory behind a bind mount.
   */
  isOurs(realPath: string, identities?: readonly string[]): boolean;
  /** Whether a file lies, or a link on the way to it leads, where looking at it may hang. */
  mayHang(file: string): boolean;
  /** Whether opening a file starts it on this system, beside what is started everywhere; left out: nothing else is. */
  startsWhenOpened?(file: string): boolean;
  /** How users other than the administrator and our own can change a file, link or directory; null: they cannot; left out: unknown here. */
  exposureOf?(facts: Owned): Exposure | null;
  /** The symbolic links that are followed on the way to a file, which must exist; left out: unknown here. */
  linksTo?(file: string): Owned[];
}

export type Outcome<T> = T | ContainedProblem;

/**
 * `missing` also: no such base; `denied`: this process may not look or read; `disconnected`: what holds the file cannot be reached;
 * `silent`: it did not answer in time; `crowded`: it was not asked, since too many others are silent or busy; `busy`: another program
 * has it to itself now.
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
  /** The name it really has, behind all links. */
  realName: string;
  /** Where it really lies. */
  realPath: string;
  /** The same from its real base on; empty for the base itself. */
  realInside: string;
  kind: 'file' | 'directory' | 'other';
  size: number;
  /** Unix milliseconds. */
  modifiedMs: number;
  /** Type and permissions, as the system has them. */
  mode: number;
  /** Number of its owner; 0 where the system has none. */
  user: number;
  /** Number of its group; 0 where the system has none. */
  group: number;
  /** Device and inode of each directory above it, and of itself if it is one; see `identityOf`. */
  identities: string[];
  /** Another one whenever the bytes may be others. */
  version: string;
}

/** Where something really lies, and who may change it. */
export type Owned = Pick<ContainedFacts, 'realPath' | 'mode' | 'user' | 'group' | 'kind'>;

export interface ContainedEntry extends ContainedFacts {
  /** Opens a regular file for reading: this one, also if its name means another one by now. */
  open(): Outcome<OpenedFile> | Promise<Outcome<OpenedFile>>;
  /** What is in a directory: this one, also if its name means another one by now. Good until this is closed. */
  list(): Promise<Outcome<Listing>>;
  close(): void;
}

/** The names in a directory, in no order. */
export interface Listing {
  count: number;
  /** What stands under the names from `start` up to `end`; names that are gone by now are left out. */
  look(start: number, end: number): Outcome<Listed[]> | Promise<Outcome<Listed[]>>;
}

/** What stands under a name. Links are not followed. */
export interface Listed extends Pick<ContainedFacts, 'size' | 'modifiedMs' | 'mode'> {
  name: string;
  /** `elsewhere`: something is mounted there that may hang, so it was not looked at and its numbers are 0. */
  kind: 'file' | 'directory' | 'link' | 'other' | 'elsewhere';
}

export interface OpenedFile {
  /** Opens the very same file again as long as this one is open; null where the system has no such path. */
  path: string | null;
  /** Bytes from `start` up to `end`; fewer where the file is shorter. Whoever is patient is never told that it is silent. */
  read(start: number, end: number, patient?: boolean): Outcome<Bytes> | Promise<Outcome<Bytes>>;
  /** What was asked for before is still answered. A second time does nothing: the number may be another file's by then. */
  close(): void;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** What is there at once. */
export interface LocalEntry extends ContainedEntry {
  open(): Outcome<LocalFile>;
  listAtOnce(untouched: ReadonlySet<string>): Outcome<LocalListing>;
}

/** The names in a directory that must not be looked at, by its real place. */
export type UntouchedIn = (place: string) => ReadonlySet<string>;

export interface LocalListing extends Listing {
  look(start: number, end: number): Outcome<Listed[]>;
}

export interface LocalFile extends OpenedFile {
  read(start: number, end: number): Bytes;
}

/** Judges what was asked for before anything is looked for. */
export const inside =
  (find: Contained['find']): Contained['find'] =>
  (base, asked) => {
    const relative = relativeInside(asked, path);
    return relative === null ? 'escapes' : find(base, relative);
  };

/** The path without dots and doubled separators; null when it leaves its directory, or names something no directory can hold. */
export function relativeInside(
  asked: string,
  { isAbsolute, normalize, sep }: Pick<typeof path.posix, 'isAbsolute' | 'normalize' | 'sep'>,
): string | null {
  if (asked.includes('\0') || isAbsolute(asked)) return null;
  const relative = normalize(asked);
  const names = relative.split(sep);
  if (names[0] === '..') return null;
  return sep === '\\' && names.some(isSpecialOnWindows) ? null : relative;
}

/** Drives and streams (`:`), devices, and endings that Windows drops before it looks. */
function isSpecialOnWindows(name: string): boolean {
  return (
    /:/.test(name) ||
    /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\.|$)/i.test(name) ||
    /[^.][. ]$|^\.{3,}$| $/.test(name)
  );
}
