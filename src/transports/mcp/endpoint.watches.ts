import type { Reading } from '../../core/reading.ts';
import type { Store } from '../../core/store.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

/** Tells when a resource has changed: at most once a second, and only while somebody wants to hear it. */
export interface Watches {
  /** Returns the way to stop. */
  watch(uri: string, changed: () => void): () => void;
}

export interface WatchParts {
  store: Pick<Store, 'get' | 'listen'>;
  /** null: there is nothing to watch. */
  modulesOf(uri: string): readonly string[] | null;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  log: Log;
}

const atMostEveryMs = 1000;

export function createWatches({ store, modulesOf, monotonic, after, log }: WatchParts): Watches {
  return {
    watch(uri, changed) {
      const stops: (() => void)[] = [];
      let stopped = false;
      let cancel: (() => void) | null = null;
      let toldAt = Number.NEGATIVE_INFINITY;

      const tell = () => {
        cancel = null;
        toldAt = monotonic();
        changed();
      };
      const hear = () => {
        if (stopped || cancel !== null) return;
        const wait = toldAt + atMostEveryMs - monotonic();
        if (wait <= 0) tell();
        else cancel = after(wait, tell);
      };
      /** What the module says now is no change: it was there before. */
      const begin = async (module: string) => {
        const seen = await current(module);
        if (stopped) return;
        stops.push(seen === null ? store.listen(module, hear) : store.listen(module, hear, seen));
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
        cancel?.();
        for (const stop of stops) stop();
      };
    },
  };
}
