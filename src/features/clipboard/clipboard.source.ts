import type { Source } from '../../core/module.ts';
import type { Clock } from '../../lib/clock.ts';
import { contentOf, type KnownCopy, type SeenCopy } from './clipboard.content.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';

export interface Following {
  /** Connects if not connected; called at each read. */
  retry(): void;
  stop(): void;
}

const unknown: KnownCopy = {
  why: 'The clipboard is read only while a client listens; clipboard.get reads it once',
  mendable: false,
};
const unseen: KnownCopy = { why: 'It is being read', mendable: false };

/** Returns the last reported content. Reading it causes no access to the clipboard. */
export function createClipboardSource(
  withheld: boolean,
  follow: (report: (known: KnownCopy) => void) => Following,
): Source<FollowedClipboard> {
  let known: KnownCopy = unknown;
  let following: Following | null = null;
  const stop = () => {
    following?.stop();
    following = null;
    known = unknown;
  };
  return {
    read(reasons) {
      following?.retry();
      return { content: contentOf(known, reasons) };
    },
    watch(changed) {
      // Listeners without the scope do not cause a read.
      if (withheld) return () => {};
      known = unseen;
      following = follow((next) => {
        const isNews = !isSameRefusal(next, known);
        known = next;
        // A change causes a read, and a read connects again: reporting the same refusal twice would loop for ever.
        if (isNews) changed();
      });
      return stop;
    },
    close: stop,
  };
}

const isSameRefusal = (one: KnownCopy, other: KnownCopy) => 'why' in one && 'why' in other && one.why === other.why;

/** Shortest interval between two reads, ms. */
const pauseMs = 200;

/** Reads the clipboard after each change, one read at a time. */
export function createCopyReader(clock: Clock, readOnce: () => Promise<SeenCopy>, found: (seen: SeenCopy) => void) {
  let isOver = false;
  let isReading = false;
  let hasChanged = false;
  let cancelPause = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(pauseMs, resolve);
      cancelPause = () => {
        cancel();
        resolve();
      };
    });
  const read = async () => {
    hasChanged = true;
    if (isReading) return;
    isReading = true;
    while (hasChanged && !isOver) {
      hasChanged = false;
      const seen = await readOnce();
      if (!isOver) found(seen);
      if (hasChanged) await pause();
    }
    isReading = false;
  };

  return {
    again: () => void read(),
    stop() {
      isOver = true;
      cancelPause();
    },
  };
}
