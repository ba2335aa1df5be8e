import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Source } from '../module.ts';

export type SourceHolder = ReturnType<typeof createSourceHolder>;

/** The source of one module: loaded at first use, and again after it was abandoned. */
export function createSourceHolder(name: string, { open, log }: { open(): Promise<Source<unknown> | null>; log: Log }) {
  let opening: Promise<Source<unknown> | null> | null = null;
  let source: Source<unknown> | null | undefined;

  /** Never throws. */
  const close = (given: Source<unknown> | null | undefined) => {
    try {
      given?.close?.();
    } catch (error) {
      log.warn(`${name}: could not close its source: ${messageOf(error)}`);
    }
  };

  const openNow = (): Promise<Source<unknown> | null> => {
    const mine = open().then(
      (opened) => {
        // Abandoned while it was loading: it is not used.
        if (opening === mine) source = opened;
        else close(opened);
        return opened;
      },
      (error) => {
        if (opening === mine) opening = null;
        throw error;
      },
    );
    return mine;
  };

  return {
    /** Loads the source; null: this platform has none. */
    load(): Promise<Source<unknown> | null> {
      opening ??= openNow();
      return opening;
    },
    /** The source that is read now, a new one after the deadline of a read; undefined: it is not loaded. */
    current: () => source,
    /** Closes the source, which may be stuck: the next read loads a new one. */
    abandon() {
      close(source);
      source = undefined;
      opening = null;
    },
    close,
  };
}
