import type { Reading } from '../../core/reading.ts';
import type { Store } from '../../core/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createThrottle } from '../../lib/throttle.ts';

/** Notifies of changed resources: at most once a second, and only while a client follows them. */
export interface Watches {
  /** Returns the function that stops it. */
  watch(uri: string, changed: () => void): () => void;
}

export interface WatchParts {
  store: Pick<Store, 'get' | 'listen'>;
  /** null: nothing to watch. */
  modulesOf(uri: string): readonly string[] | null;
  clock: Clock;
  log: Log;
}

const atMostEveryMs = 1000;

export function createWatches({ store, modulesOf, clock, log }: WatchParts): Watches {
  return {
    watch(uri, changed) {
      const stops: (() => void)[] = [];
      let stopped = false;
      const throttle = createThrottle(clock, atMostEveryMs, changed);
      /** The current reading is not a change. */
      const begin = async (module: string) => {
        const seen = await current(module);
        if (stopped) return;
        stops.push(store.listen(module, throttle.ask, { seen: seen ?? undefined, live: true }));
      };
      const current = async (module: string): Promise<Reading | null> => {
        try {
          return await store.get(module);
        } catch {
          return null;
        }
      };

      for (const module of modulesOf(uri) ?? [])
        begin(module).catch((error) => log.warn(`mcp: ${module} cannot be followed: ${messageOf(error)}`));
      return () => {
        stopped = true;
        throttle.cancel();
        for (const stop of stops) stop();
      };
    },
  };
}
