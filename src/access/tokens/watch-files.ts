import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';

/** Where the system has no way left to tell of changes, and somebody is connected. */
const followEveryMs = 1000;

/** Calls back when something in the state directory may have changed; returns the way to stop. */
export function followFiles(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  complain: (sentence: string) => void,
  lookAgain: () => void,
): () => void {
  try {
    return storage.watch(paths.state, lookAgain);
  } catch (error) {
    complain(`${paths.state} cannot be watched (${messageOf(error)}), so it is checked every second`);
    let cancel = () => {};
    const again = () => {
      cancel = clock.after(followEveryMs, () => {
        lookAgain();
        again();
      });
    };
    again();
    return () => cancel();
  }
}
