import path from 'node:path';
import type { Storage } from '../host/storage.ts';
import { codeOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/**
 * The same storage, which says once that a disk is full, and when it is not any more: some of what is saved is worth no
 * complaint of its own, and without this nobody would learn why it is forgotten.
 */
export function tellOfFullDisk(storage: Storage, log: Pick<Log, 'error' | 'info'>): Storage {
  const full = new Set<string>();
  const told = <T>(file: string, work: () => T): T => {
    const directory = path.dirname(file);
    try {
      const result = work();
      if (full.delete(directory)) log.info(`There is space for ${directory} again: what changes is saved`);
      return result;
    } catch (error) {
      if (isFull(error) && !full.has(directory)) {
        full.add(directory);
        log.error(
          `The disk with ${directory} is full: what changes cannot be saved, and is lost at the next start. Free some space on it`,
        );
      }
      throw error;
    }
  };
  return {
    ...storage,
    write: (file, text) => told(file, () => storage.write(file, text)),
    append: (file, line, maxBytes, heading) => told(file, () => storage.append(file, line, maxBytes, heading)),
  };
}

/** Or what it was caused by. ENOSPC: the disk has no space left; EDQUOT: this user may take no more of it. */
export function isFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isFull(error.cause);
}
