import fs from 'node:fs';
import path from 'node:path';
import { findByDescriptor } from './contained.linux.ts';
import { findByName } from './contained.portable.ts';

/** Files inside a directory that must not be left, neither by `..` nor by a link. */
export interface Contained {
  /** What `path` stands for, relative to the directory `base`. Looking has no effect on a pipe, a socket or a device. Close what you get. */
  find(base: string, path: string): ContainedEntry | ContainedProblem;
}

/** `missing` also: no such base; `denied`: this process may not look or read. */
export type ContainedProblem = 'escapes' | 'missing' | 'denied' | 'not_regular';

export interface ContainedEntry {
  /** The name it really has, behind all links. */
  realName: string;
  kind: 'file' | 'directory' | 'other';
  size: number;
  /** Unix milliseconds. */
  modifiedMs: number;
  /** Type and permissions, as the system has them. */
  mode: number;
  /** Another one whenever the bytes may be others. */
  version: string;
  /** Opens a regular file for reading: this one, also if its name means another one by now. */
  open(): OpenedFile | ContainedProblem;
  close(): void;
}

export interface OpenedFile {
  /** Opens the very same file again as long as this one is open; null where the system has no such path. */
  path: string | null;
  /** Bytes from `start` up to `end`; fewer where the file is shorter. */
  read(start: number, end: number): Uint8Array<ArrayBuffer>;
  /** A second time does nothing: the number may be another file's by then. */
  close(): void;
}

export function createContained(): Contained {
  // Only Linux has it; without it, or where /proc is not mounted, the weaker way is left.
  const find = fs.existsSync('/proc/self/fdinfo') ? findByDescriptor : findByName;
  return {
    find(base, asked) {
      const relative = relativeInside(asked, path);
      return relative === null ? 'escapes' : find(base, relative);
    },
  };
}

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
