import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';

/** Certificates expire and addresses change without a file event. */
const checkEveryMs = 300_000;
/** Certificate and key are two files, and editors write in several steps. */
const settleMs = 1000;

/** Runs `check` after changes of these files and at an interval. `check` must not reject. Returns the function that stops it. */
export function watchCertificates(
  { host, log }: Pick<TransportParts, 'host' | 'log'>,
  files: readonly string[],
  check: () => Promise<unknown>,
): () => void {
  const { storage, clock } = host;
  const unwatch: (() => void)[] = [];
  let cancelCheck = () => {};
  let cancelSettle = () => {};

  const schedule = () => {
    cancelCheck = clock.after(checkEveryMs, () => void check().then(schedule));
  };
  const changed = () => {
    cancelSettle();
    cancelSettle = clock.after(settleMs, () => void check());
  };
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    try {
      unwatch.push(storage.watch(directory, changed));
    } catch (error) {
      log.warn(`tls: ${directory} cannot be watched (${messageOf(error)}), so it is checked every 5 minutes`);
    }
  }
  schedule();
  return () => {
    cancelCheck();
    cancelSettle();
    for (const stop of unwatch) stop();
  };
}
