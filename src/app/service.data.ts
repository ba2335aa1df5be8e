import { type RunningAlerts, startAlerts } from '../alerts/alerts.ts';
import { createAlertBoard } from '../core/alert-state.ts';
import type { OpenPrompts } from '../core/prompts/open-prompt.ts';
import { createStore, type Store } from '../core/store.ts';
import { createSubscribers, type SubscriberRegistry } from '../core/subscribers.ts';
import { modules } from '../features/index.ts';
import { type RunningHistory, startHistory } from '../history/history.ts';
import type { Host } from '../host/host.ts';
import { ownMemory } from '../lib/collect-heap.ts';
import type { Log } from '../lib/log.ts';
import { createSharedTimers, type SharedTimers } from '../lib/shared-timers.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { createHeapCompaction } from './heap-compaction.ts';
import { createShowOnScreen } from './prompts/show-notice.ts';
import { watchWake } from './resume-detector.ts';
import { isolateInThread } from './threads/isolate.ts';
import { version } from './version.ts';

/** Everything that reads the machine, now and over time. */
export interface ServiceData {
  timers: SharedTimers;
  store: Store;
  subscribers: SubscriberRegistry;
  history: RunningHistory;
  alerts: RunningAlerts;
  stopWatching(): void;
  stop(): Promise<void>;
}

export function startData(host: Host, log: Log, settings: SettingsStore, prompts: OpenPrompts): ServiceData {
  const board = createAlertBoard();
  const context = { version, settings: settings.current, locks: settings.locks, log, alerts: board, prompts };
  const timers = createSharedTimers(host.clock);
  const isolate = isolateInThread(context, host);
  const wasRead = createHeapCompaction(host.clock, ownMemory);
  const store = createStore({ modules, host, context, timers, isolate, wasRead });
  const subscribers = createSubscribers(store, host.clock);
  const { unaware: count, onChange } = subscribers;
  const stopWatching = watchWake(host, timers, { count, onChange }, () => void store.refresh());
  const history = startHistory({ host, log, modules, store, timers, settings });
  const showOnScreen = createShowOnScreen(host);
  const alerts = startAlerts({ host, log, modules, store, timers, settings, history, board, showOnScreen });
  return {
    timers,
    store,
    subscribers,
    history,
    alerts,
    stopWatching,
    async stop() {
      alerts.stop();
      await history.stop();
      store.close();
    },
  };
}
