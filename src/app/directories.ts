import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { UnusableFile } from '../lib/file-version.ts';
import { refuseExposed } from './directory-permissions.ts';
import { isFull } from './disk-full-warning.ts';
import { migrateState } from './state-version.ts';

/** Unusable files end the start with a sentence, not with an error code. */
export async function orExplain<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof UnusableFile) throw cause;
    if (isFull(cause))
      throw new Error(`${what} cannot be written: ${messageOf(cause)}. Free some space on it, then start again`, {
        cause,
      });
    throw new Error(`${what} cannot be read or written: ${messageOf(cause)}. Check its owner and permissions`, {
      cause,
    });
  }
}

/** Creates our directories. Refuses those that other users can change, because they decide who may do what. */
export function prepareDirectories({ storage, paths }: Host): void {
  // Unsafe permissions are reported first: they may be the reason why it cannot be used.
  refuseExposed({ storage, paths });
  try {
    storage.prepareDirectory(paths.config);
  } catch {
    // The settings may be read-only; a change then fails with a message.
  }
  try {
    storage.prepareDirectory(paths.state);
  } catch (cause) {
    throw new Error(
      `The state directory ${paths.state} cannot be used (${messageOf(cause)}). Make it readable and writable for this user, or set SERVICE_STATE_DIR to another one`,
      { cause },
    );
  }
  // Another process may have created them at the same moment.
  refuseExposed({ storage, paths });
  migrateState({ storage, paths });
}
