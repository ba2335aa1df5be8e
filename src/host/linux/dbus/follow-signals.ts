import type { Bus, Signal, SignalMatch } from '@hostler/dbus/dbus.ts';
import { stopAll, stopOnceBegun } from '../../../lib/closing.ts';

export interface FollowedSignal {
  match: SignalMatch;
  /** Omitted: each of these signals is one. */
  isNews?(signal: Signal): boolean;
}

/** Calls back at each signal, after a reconnection, and once when all are subscribed: earlier ones were missed. Never without a bus. */
export function followSignals(bus: Bus, signals: readonly FollowedSignal[], changed: () => void): () => void {
  let stopped = false;
  const beginnings = signals.map(({ match, isNews = () => true }) =>
    bus.subscribe(match, (signal) => {
      if (isNews(signal)) changed();
    }),
  );
  Promise.all(beginnings).then(
    () => {
      if (!stopped) changed();
    },
    () => {},
  );
  const stop = stopAll([bus.onReconnected(changed), ...beginnings.map(stopOnceBegun)]);
  return () => {
    stopped = true;
    stop();
  };
}
