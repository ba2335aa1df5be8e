import path from 'node:path';
import type { Storage } from '../host/storage.ts';
import { codeOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/**
 * The same storage, which logs once that a disk is full, and once that it has space again. Some writes fail silently, and without this the
 * log would not say why their data is lost.
 */
export function warnOfFullDisk(storage: Storage, log: Pick<Log, 'error' | 'info'>): Storage {
  const full = new Set<string>();
  const guarded = <T>(file: string, work: () => T): T => {
    const directory = path.dirname(file);
    try {
      const result = work();
      if (full.delete(directory)) log.info(`The disk with ${directory} has space again: changes are saved`);
      return result;
    } catch (error) {
      if (isFull(error) && !full.has(directory)) {
        full.add(directory);
        log.error(
          `The disk with ${directory} is full: changes cannot be saved, and are lost at the next start. Free some space on it`,
        );
      }
      throw error;
    }
  };
  return {
    ...storage,
    write: (file, text) => guarded(file, () => storage.write(file, text)),
    append: (file, line, maxBytes, heading) => guarded(file, () => storage.append(file, line, maxBytes, heading)),
  };
}

/** Or its cause. ENOSPC: the disk is full; EDQUOT: the quota of this user is used up. */
export function isFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isFull(error.cause);
}
