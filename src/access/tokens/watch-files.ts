import type { Host } from '../../host/host.ts';
import { repeatedly } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';

/** Polling interval if the directory cannot be watched. */
const followEveryMs = 1000;

/** Calls back when the state directory may have changed; returns a function that stops it. */
export function followFiles(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  complain: (sentence: string) => void,
  changed: () => void,
): () => void {
  try {
    return storage.watch(paths.state, changed);
  } catch (error) {
    complain(`${paths.state} cannot be watched (${messageOf(error)}), so it is checked every second`);
    return repeatedly((then) => clock.after(followEveryMs, then), changed);
  }
}
