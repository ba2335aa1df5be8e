import fs from 'node:fs';
import type { Clock } from '../lib/clock.ts';

/** Each event takes a turn of the event loop, and in a shared directory other users cause as many as they like: above this many in `pauseMs` it is not watched for `pauseMs`. */
const mostEvents = 100;
const pauseMs = 1000;

/**
 * Calls back with the names that are added to a directory, removed from it or changed in it. null: the system does not report the name, or there were
 * too many events. Throws if it cannot be watched.
 */
export function watchDirectory(
  directory: string,
  clock: Pick<Clock, 'monotonic' | 'after'>,
  changed: (name: string | null, event: 'rename' | 'change') => void,
): () => void {
  let stop = () => {};
  const open = () => {
    let events = 0;
    let since = clock.monotonic();
    let isOpen = true;
    const watcher = fs.watch(directory, { persistent: false }, (event, name) => {
      // Some are still delivered after it was closed.
      if (!isOpen) return;
      const now = clock.monotonic();
      if (now - since > pauseMs) {
        since = now;
        events = 0;
      }
      events += 1;
      if (events <= mostEvents) return changed(name, event);
      close();
      stop = clock.after(pauseMs, openAgain);
    });
    const close = () => {
      isOpen = false;
      watcher.close();
    };
    // The directory may be removed meanwhile: then there is nothing left to watch.
    watcher.on('error', close);
    stop = close;
  };
  const openAgain = () => {
    stop = () => {};
    try {
      open();
    } catch {
      // It was removed.
    }
    changed(null, 'rename');
  };
  open();
  return () => stop();
}
