import type { Clock } from '../../lib/clock.ts';

/**
 * Looks at regular intervals whether something has changed, while somebody wants to know. Windows announces such changes on threads of
 * its own, where no code of ours can run; so it is asked, in a thread of ours.
 */
export function lookAgain(
  clock: Clock,
  everyMs: number,
  look: () => Promise<unknown>,
  changed: () => void,
): () => void {
  let last: string | null = null;
  let stopped = false;
  let cancel = () => {};
  const again = async () => {
    // What cannot be read now is the same as before.
    const seen = await look().then(JSON.stringify, () => last);
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
