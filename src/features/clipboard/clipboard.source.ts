import type { Source } from '../../core/module.ts';
import type { Clock } from '../../lib/clock.ts';
import { contentOf, type KnownCopy, type SeenCopy } from './clipboard.content.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';

export interface Following {
  /** To be called now and then: what was not there may be there now. */
  look(): void;
  stop(): void;
}

const unknown: KnownCopy = {
  why: 'It is looked at only while somebody listens; clipboard.get reads it once',
  mendable: false,
};
const unseen: KnownCopy = { why: 'It is being looked at', mendable: false };

/** Reading it tells what was heard last: nothing is asked again, and nobody is waited for. */
export function createClipboardSource(
  withheld: boolean,
  follow: (tell: (known: KnownCopy) => void) => Following,
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
      following?.look();
      return { content: contentOf(known, reasons) };
    },
    watch(changed) {
      // Those who may not see it make nobody look at it.
      if (withheld) return () => {};
      known = unseen;
      following = follow((next) => {
        const isNews = !isSameRefusal(next, known);
        known = next;
        // Being told makes somebody read it, and reading it tries again: the same refusal told twice would go round for ever.
        if (isNews) changed();
      });
      return stop;
    },
    close: stop,
  };
}

const isSameRefusal = (one: KnownCopy, other: KnownCopy) => 'why' in one && 'why' in other && one.why === other.why;

/** Whoever copies all the time is looked at this often, ms. */
const pauseMs = 200;

/** Looks at what was copied, one look at a time. */
export function createCopyLooks(clock: Clock, lookOnce: () => Promise<SeenCopy>, found: (seen: SeenCopy) => void) {
  let isOver = false;
  let isLooking = false;
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
  const look = async () => {
    hasChanged = true;
    if (isLooking) return;
    isLooking = true;
    while (hasChanged && !isOver) {
      hasChanged = false;
      const seen = await lookOnce();
      if (!isOver) found(seen);
      if (hasChanged) await pause();
    }
    isLooking = false;
  };

  return {
    again: () => void look(),
    stop() {
      isOver = true;
      cancelPause();
    },
  };
}
