import type { Clock } from '../../lib/clock.ts';

/**
 * Polls for changes while there is a subscriber. Windows announces such changes on its own
 * threads, where no JavaScript can run, so a thread of ours queries it.
 */
export function pollChanges(
  clock: Clock,
  everyMs: number,
  read: () => Promise<unknown>,
  changed: () => void,
): () => void {
  let last: string | null = null;
  let stopped = false;
  let cancel = () => {};
  const again = async () => {
    // A failed read counts as unchanged.
    const seen = await read().then(JSON.stringify, () => last);
    if (stopped) return;
    if (last !== null && seen !== last) changed();
    last = seen;
    cancel = clock.after(everyMs, () => void again());
  };
  void again();
  return () => {
    stopped = true;
    cancel();
  };
}
