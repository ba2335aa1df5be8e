import fs from 'node:fs';
import path from 'node:path';
import { createStops } from '../../lib/closing.ts';
import type { ContainedProblem, LocalFile } from './contained.ts';

/** Shared by both ways of finding a file: its descriptor, and the meaning of the system's errors. */
export function openedFile(descriptor: number, path: string | null): LocalFile {
  return {
    path,
    read(start, end) {
      const bytes = new Uint8Array(Math.max(0, end - start));
      let length = 0;
      while (length < bytes.length) {
        const got = fs.readSync(descriptor, bytes, length, bytes.length - length, start + length);
        if (got === 0) return bytes.slice(0, length);
        length += got;
      }
      return bytes;
    },
    close: closeOnce(descriptor),
  };
}

export const closeOnce = (descriptor: number): (() => void) => createStops(() => fs.closeSync(descriptor)).end;

/** Throws on failures that say nothing about the file, such as a broken disk. */
export function containedProblemOf(error: unknown): ContainedProblem {
  const problem = problems[error instanceof Error && 'code' in error ? String(error.code) : ''];
  if (problem === undefined) throw error;
  return problem;
}

const problems: Partial<Record<string, ContainedProblem>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  // No file has such a name: too long, in a loop of links, or in characters its file system does not take.
  ENAMETOOLONG: 'missing',
  ELOOP: 'missing',
  EINVAL: 'missing',
  EILSEQ: 'missing',
  ERR_INVALID_ARG_VALUE: 'missing',
  // Removed from its server.
  ESTALE: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  // Another program holds a lease on it, or has exclusive access. https://man7.org/linux/man-pages/man2/fcntl.2.html
  EAGAIN: 'busy',
  EBUSY: 'busy',
  EDEADLK: 'busy',
  ETXTBSY: 'busy',
  // The server refuses, or the program behind the mount ended.
  ENOTCONN: 'disconnected',
  ECONNABORTED: 'disconnected',
  ECONNREFUSED: 'disconnected',
  ECONNRESET: 'disconnected',
  EHOSTDOWN: 'disconnected',
  EHOSTUNREACH: 'disconnected',
  ENETUNREACH: 'disconnected',
  ETIMEDOUT: 'disconnected',
};

export function kindOf(stat: fs.BigIntStats): 'file' | 'directory' | 'other' {
  if (stat.isFile()) return 'file';
  return stat.isDirectory() ? 'directory' : 'other';
}

/** Uses the time of the last status change: tag editors restore the modification time. */
export function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: fs.BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
}

/** The identities of the directories on a real path, its end included if it is one. `nameOf`: how the system takes a path. */
export function identitiesOf(real: string, nameOf: (place: string) => string | Buffer = (place) => place): string[] {
  const above = path.dirname(real);
  const identity = identityOf(nameOf(real));
  return [...(identity === null ? [] : [identity]), ...(above === real ? [] : identitiesOf(above, nameOf))];
}

/** Device and inode of a directory, which are the same by every path that leads there; null: not a directory, or without an identity. */
export function identityOf(directory: string | Buffer): string | null {
  try {
    const stat = fs.statSync(directory, { bigint: true });
    // File systems without inodes report 0.
    return stat.isDirectory() && stat.ino !== 0n ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    return null;
  }
}
