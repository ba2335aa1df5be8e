import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Source } from './module.ts';
import type { Reader } from './reader.ts';
import type { Reading } from './reading.ts';

export type Listener = (reading: Reading) => void;

/** Keeps a module up to date for those who listen, and does nothing at all while nobody does. */
export interface Feed {
  /** `seen` is what the listener has already: it is not pushed again. */
  listen(listener: Listener, seen?: Reading, options?: ListenOptions): () => void;
  /** Reads and pushes now, if anybody listens: after a resume, or when the interval was changed. */
  refresh(): Promise<void>;
  close(): void;
}

export interface ListenOptions {
  /** What the listener gets when the module ceases to exist. */
  absent?: Reading | undefined;
  /** It is enough to look this often where the source announces its changes. */
  announcedEveryMs?: number | undefined;
}

export interface FeedParts {
  name: string;
  reader: Reader;
  timers: SharedTimers;
  log: Log;
  intervalMs(): number;
  after(ms: number, callback: () => void): unknown;
}

/** Changes that are announced this close together are told together. */
const joinMs = 50;

export function createFeed({ name, reader, timers, log, intervalMs, after }: FeedParts): Feed {
  const listeners = new Set<ListenOptions & { listener: Listener }>();
  let cancelTick = () => {};
  let scheduledMs = 0;
  let stopWatching = () => {};
  /** Whose changes are followed; undefined: nobody's. */
  let watched: Source<unknown> | null | undefined;
  let pushed: string | null = null;
  let refreshing = false;
  let refreshAgain = false;
  let cooling = false;
  let changedMeanwhile = false;

  const push = (reading: Reading) => {
    if (listeners.size === 0) return;
    const isAbsent = reading.payload === null;
    if (pushed === (isAbsent ? null : reading.text)) return;
    pushed = isAbsent ? null : reading.text;
    for (const { listener, absent } of listeners) {
      try {
        if (!isAbsent) listener(reading);
        else if (absent !== undefined) listener(absent);
      } catch (error) {
        log.error(`${name}: a listener failed`, error);
      }
    }
  };

  /** Ticks fall on multiples of the interval, so that modules of one interval wake the process together. */
  const schedule = () => {
    cancelTick();
    if (listeners.size === 0) return;
    scheduledMs = everyMs();
    cancelTick = timers.next(scheduledMs, tick);
  };

  const everyMs = () => {
    const usual = intervalMs();
    if (reader.source()?.watch === undefined) return usual;
    return Math.min(...[...listeners].map(({ announcedEveryMs }) => Math.max(usual, announcedEveryMs ?? usual)));
  };

  const tick = () => {
    const reading = reader.landed();
    if (reading instanceof Promise) void reading.then(finish);
    else finish(reading);
  };

  const finish = (reading: Reading) => {
    push(reading);
    schedule();
    follow();
  };

  /** Changes that come while one is being read are joined into one more read. */
  const refresh = async () => {
    if (listeners.size === 0) return;
    if (refreshing) {
      refreshAgain = true;
      return;
    }
    refreshing = true;
    try {
      do {
        refreshAgain = false;
        push(await reader.afresh());
      } while (refreshAgain && listeners.size > 0);
    } finally {
      refreshing = false;
    }
  };

  /** Whoever announces a change a thousand times a second is heard at once, and then some twenty times a second. */
  const changed = () => {
    if (cooling) {
      changedMeanwhile = true;
      return;
    }
    cooling = true;
    after(joinMs, () => {
      cooling = false;
      if (!changedMeanwhile) return;
      changedMeanwhile = false;
      changed();
    });
    void refresh();
  };

  const start = async () => {
    schedule();
    // Why it cannot be loaded is said by who reads it.
    await reader.load().catch(() => {});
    if (everyMs() !== scheduledMs) schedule();
    follow();
  };

  /** Once the source is loaded, and anew when the reader had to replace it. */
  const follow = () => {
    const source = reader.source();
    if (source === watched || source === undefined || listeners.size === 0) return;
    endWatching();
    watched = source;
    if (source?.watch === undefined) return;
    try {
      stopWatching = source.watch(changed);
      // Nobody announced what happened between the last read and this.
      changed();
    } catch (error) {
      log.warn(`${name}: cannot follow changes: ${messageOf(error)}`);
    }
  };

  const endWatching = () => {
    const end = stopWatching;
    stopWatching = () => {};
    watched = undefined;
    try {
      end();
    } catch (error) {
      log.warn(`${name}: could not stop following changes: ${messageOf(error)}`);
    }
  };

  const stop = () => {
    cancelTick();
    endWatching();
    pushed = null;
  };

  return {
    listen(listener, seen, { absent, announcedEveryMs } = {}) {
      // One function may listen twice: each gets an entry of its own.
      const entry = { listener, absent, announcedEveryMs };
      listeners.add(entry);
      if (listeners.size === 1) {
        pushed = seen === undefined || seen === absent ? null : seen.text;
        void start();
      } else if (everyMs() < scheduledMs) schedule();
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) stop();
      };
    },
    async refresh() {
      schedule();
      await refresh();
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}
