import type { SharedTimers } from '../../lib/shared-timers.ts';
import type { Reading } from '../reading.ts';
import { type ChangeWatcherParts, createChangeWatcher } from './source-changes.ts';

export type Listener = (reading: Reading) => void;

/** Keeps a module up to date for its listeners. Without a listener it does nothing. */
export interface Poller {
  listen(listener: Listener, options?: ListenOptions): () => void;
  /** Reads and pushes now if there are listeners: after a resume, or when the interval was changed. */
  refresh(): Promise<void>;
  close(): void;
}

export interface ListenOptions {
  /** What the listener has already: it is not pushed again. */
  seen?: Reading | undefined;
  /** Milliseconds between two updates; omitted: as the module and the settings specify. Announced changes come at once in any case. */
  everyMs?: number | undefined;
  /** The longest interval the listener needs where the source announces its changes. */
  announcedEveryMs?: number | undefined;
  /** What the listener gets when the module ceases to exist. */
  absent?: Reading | undefined;
  /** Readings that are equal to the last one as well: none is serialised to find out. */
  equal?: boolean | undefined;
}

export interface PollerParts extends ChangeWatcherParts {
  timers: SharedTimers;
  intervalMs(): number;
}

interface Entry extends ListenOptions {
  listener: Listener;
  /** What was pushed last, as text or, with `equal`, as it is; null: the module does not exist; undefined: nothing. */
  pushed: Reading | string | null | undefined;
  scheduledMs: number;
  cancelTick(): void;
}

interface State {
  parts: PollerParts;
  entries: Set<Entry>;
  refreshing: boolean;
  refreshAgain: boolean;
}

export function createPoller(parts: PollerParts): Poller {
  const { reader, timers } = parts;
  const state: State = { parts, entries: new Set(), refreshing: false, refreshAgain: false };
  const { entries } = state;
  const watcher = createChangeWatcher(parts, () => void refresh(state));

  /** Ticks fall on multiples of the interval, so that modules and listeners of one interval wake the process together. */
  const schedule = (entry: Entry) => {
    entry.cancelTick();
    entry.scheduledMs = everyMs(state, entry);
    entry.cancelTick = timers.next(entry.scheduledMs, () => tick(entry));
  };
  const tick = (entry: Entry) => {
    const reading = reader.landed();
    if (reading instanceof Promise) void reading.then((landed) => finish(entry, landed));
    else finish(entry, reading);
  };
  const finish = (entry: Entry, reading: Reading) => {
    push(state, entry, reading);
    // The listener may have ended.
    if (entries.has(entry)) schedule(entry);
    follow();
  };
  const follow = () => {
    if (entries.size > 0) watcher.follow();
  };
  const scheduleChanged = () => {
    for (const entry of entries) if (everyMs(state, entry) !== entry.scheduledMs) schedule(entry);
  };
  const start = async () => {
    // The read reports why the source cannot be loaded.
    await reader.load().catch(() => {});
    scheduleChanged();
    follow();
  };
  const remove = (entry: Entry) => {
    if (!entries.delete(entry)) return;
    entry.cancelTick();
    if (entries.size === 0) watcher.stop();
  };

  return {
    listen(listener, options = {}) {
      const { seen, absent } = options;
      const pushed = seen !== undefined && seen === absent ? null : seen?.text;
      // A function may be registered twice.
      const entry: Entry = { ...options, listener, pushed, scheduledMs: 0, cancelTick: () => {} };
      entries.add(entry);
      schedule(entry);
      if (entries.size === 1) void start();
      return () => remove(entry);
    },
    async refresh() {
      for (const entry of entries) schedule(entry);
      await refresh(state);
    },
    close() {
      for (const entry of [...entries]) remove(entry);
    },
  };
}

function everyMs({ parts: { reader, intervalMs } }: State, { everyMs, announcedEveryMs = 0 }: Entry): number {
  const usual = everyMs ?? intervalMs();
  return reader.source()?.watch === undefined ? usual : Math.max(usual, announcedEveryMs);
}

function push({ parts, entries }: State, entry: Entry, reading: Reading): void {
  const { listener, absent, equal = false } = entry;
  const isAbsent = reading.payload === null;
  const next = isAbsent ? null : equal ? reading : reading.text;
  if (entry.pushed === next || !entries.has(entry)) return;
  entry.pushed = next;
  try {
    if (!isAbsent) listener(reading);
    else if (absent !== undefined) listener(absent);
  } catch (error) {
    parts.log.error(`${parts.name}: a listener failed`, error);
  }
}

/** Changes that come during a read are joined into one more read. */
async function refresh(state: State): Promise<void> {
  const { entries, parts } = state;
  if (entries.size === 0) return;
  if (state.refreshing) {
    state.refreshAgain = true;
    return;
  }
  state.refreshing = true;
  try {
    do {
      state.refreshAgain = false;
      const reading = await parts.reader.afresh();
      for (const entry of [...entries]) push(state, entry, reading);
    } while (state.refreshAgain && entries.size > 0);
  } finally {
    state.refreshing = false;
  }
}
