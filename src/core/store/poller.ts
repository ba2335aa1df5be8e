import type { SharedTimers } from '../../lib/shared-timers.ts';
import type { Reading } from '../reading.ts';
import { type ChangeWatcherParts, createChangeWatcher } from './source-changes.ts';

export type Listener = (reading: Reading) => void;

/** Keeps a module up to date for its listeners. Without a listener it does nothing. */
export interface Poller {
  /** `seen` is what the listener has already: it is not pushed again. */
  listen(listener: Listener, seen?: Reading, options?: ListenOptions): () => void;
  /** Reads and pushes now if there are listeners: after a resume, or when the interval was changed. */
  refresh(): Promise<void>;
  close(): void;
}

export interface ListenOptions {
  /** What the listener gets when the module ceases to exist. */
  absent?: Reading | undefined;
  /** The longest interval the listener needs where the source announces its changes. */
  announcedEveryMs?: number | undefined;
}

export interface PollerParts extends ChangeWatcherParts {
  timers: SharedTimers;
  intervalMs(): number;
}

interface State {
  parts: PollerParts;
  listeners: Set<ListenOptions & { listener: Listener }>;
  /** The text that was pushed last; null: none, or the module does not exist. */
  pushed: string | null;
  refreshing: boolean;
  refreshAgain: boolean;
}

export function createPoller(parts: PollerParts): Poller {
  const { reader, timers } = parts;
  const state: State = { parts, listeners: new Set(), pushed: null, refreshing: false, refreshAgain: false };
  const { listeners } = state;
  const watcher = createChangeWatcher(parts, () => void refresh(state));
  let cancelTick = () => {};
  let scheduledMs = 0;

  /** Ticks fall on multiples of the interval, so that modules of one interval wake the process together. */
  const schedule = () => {
    cancelTick();
    if (listeners.size === 0) return;
    scheduledMs = everyMs(state);
    cancelTick = timers.next(scheduledMs, tick);
  };
  const tick = () => {
    const reading = reader.landed();
    if (reading instanceof Promise) void reading.then(finish);
    else finish(reading);
  };
  const finish = (reading: Reading) => {
    push(state, reading);
    schedule();
    follow();
  };
  const follow = () => {
    if (listeners.size > 0) watcher.follow();
  };
  const start = async () => {
    schedule();
    // The read reports why the source cannot be loaded.
    await reader.load().catch(() => {});
    if (everyMs(state) !== scheduledMs) schedule();
    follow();
  };
  const stop = () => {
    cancelTick();
    watcher.stop();
    state.pushed = null;
  };

  return {
    listen(listener, seen, { absent, announcedEveryMs } = {}) {
      // A function may be registered twice.
      const entry = { listener, absent, announcedEveryMs };
      listeners.add(entry);
      if (listeners.size === 1) {
        state.pushed = seen === undefined || seen === absent ? null : seen.text;
        void start();
      } else if (everyMs(state) < scheduledMs) schedule();
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) stop();
      };
    },
    async refresh() {
      schedule();
      await refresh(state);
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

function everyMs({ parts: { reader, intervalMs }, listeners }: State): number {
  const usual = intervalMs();
  if (reader.source()?.watch === undefined) return usual;
  return Math.min(...[...listeners].map(({ announcedEveryMs }) => Math.max(usual, announcedEveryMs ?? usual)));
}

function push(state: State, reading: Reading): void {
  const { listeners, parts } = state;
  if (listeners.size === 0) return;
  const isAbsent = reading.payload === null;
  const text = isAbsent ? null : reading.text;
  if (state.pushed === text) return;
  state.pushed = text;
  for (const { listener, absent } of listeners) {
    try {
      if (!isAbsent) listener(reading);
      else if (absent !== undefined) listener(absent);
    } catch (error) {
      parts.log.error(`${parts.name}: a listener failed`, error);
    }
  }
}

/** Changes that come during a read are joined into one more read. */
async function refresh(state: State): Promise<void> {
  const { listeners, parts } = state;
  if (listeners.size === 0) return;
  if (state.refreshing) {
    state.refreshAgain = true;
    return;
  }
  state.refreshing = true;
  try {
    do {
      state.refreshAgain = false;
      push(state, await parts.reader.afresh());
    } while (state.refreshAgain && listeners.size > 0);
  } finally {
    state.refreshing = false;
  }
}
