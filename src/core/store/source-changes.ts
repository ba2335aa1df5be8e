import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createThrottle } from '../../lib/throttle.ts';
import type { Source } from '../module.ts';
import type { Reader } from './reader.ts';

/** Follows the changes that a source announces. */
export interface ChangeWatcher {
  /** Watches the current source: once it is loaded, and again after the reader replaced it. */
  follow(): void;
  stop(): void;
}

export interface ChangeWatcherParts {
  name: string;
  reader: Reader;
  log: Log;
  clock: Clock;
}

/** Changes announced within this time of each other are pushed together. */
const joinMs = 50;

export function createChangeWatcher(
  { name, reader, log, clock }: ChangeWatcherParts,
  onChange: () => void,
): ChangeWatcher {
  let stopWatching = () => {};
  /** undefined: no source is watched. */
  let watched: Source<unknown> | null | undefined;
  const changes = createThrottle(clock, joinMs, onChange);

  const stop = () => {
    const end = stopWatching;
    stopWatching = () => {};
    watched = undefined;
    try {
      end();
    } catch (error) {
      log.warn(`${name}: could not stop following changes: ${messageOf(error)}`);
    }
  };

  return {
    follow() {
      const source = reader.source();
      if (source === watched || source === undefined) return;
      stop();
      watched = source;
      if (source?.watch === undefined) return;
      try {
        stopWatching = source.watch(changes.ask);
        // A change between the last read and now was not announced.
        changes.ask();
      } catch (error) {
        log.warn(`${name}: cannot follow changes: ${messageOf(error)}`);
      }
    },
    stop,
  };
}
