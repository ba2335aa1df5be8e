import type { Storage } from '../../../host/storage.ts';
import { type Clock, repeatedly } from '../../../lib/clock.ts';
import { lookingAt, type Sockets } from './chat.sockets.ts';

/** A watch that starts and stops; both are idempotent. */
export interface ChatWatch {
  start(): void;
  stop(): void;
}

/** A watch ends without notice when its directory is replaced. */
const watchedPollMs = 300_000;
const unwatchedPollMs = 30_000;

/** Notices changes in our own directory; polls for systems where it cannot be watched. */
export function watchFiles(storage: Storage, clock: Clock, directory: string, changed: () => void): ChatWatch {
  let stop: (() => void) | null = null;
  return {
    start() {
      if (stop !== null) return;
      const stopWatching = watchQuietly(storage, directory, changed);
      const pollMs = stopWatching === null ? unwatchedPollMs : watchedPollMs;
      const stopPolling = repeatedly((then) => clock.after(pollMs, then), changed);
      stop = () => {
        stopWatching?.();
        stopPolling();
      };
    },
    stop() {
      stop?.();
      stop = null;
    },
  };
}

/** Notices when a socket may have appeared; idle otherwise. */
export function watchSockets(storage: Storage, sockets: Sockets, appeared: () => void): ChatWatch {
  const { exists, isOurs } = lookingAt(storage);
  const stops = new Map<string, () => void>();
  const watchAll = () => {
    for (const directory of sockets.directories(isOurs)) {
      if (stops.has(directory) || !exists(directory)) continue;
      stops.set(directory, watchQuietly(storage, directory, (name) => notice(directory, name)) ?? (() => {}));
    }
  };
  const notice = (directory: string, name: string | null) => {
    if (name !== null && !sockets.matters(name)) return;
    if (name === null || !name.startsWith('discord-ipc-')) {
      // A parent directory was created or removed: watch those below it anew.
      for (const [inner, stop] of stops) {
        if (inner === directory || !inner.startsWith(directory)) continue;
        stop();
        stops.delete(inner);
      }
      watchAll();
    }
    appeared();
  };
  return {
    start() {
      if (stops.size === 0) watchAll();
    },
    stop() {
      for (const stop of stops.values()) stop();
      stops.clear();
    },
  };
}

/** null: it cannot be watched, such as without a free watch of the system. */
function watchQuietly(storage: Storage, directory: string, changed: (name: string | null) => void) {
  try {
    return storage.watch(directory, changed);
  } catch {
    return null;
  }
}
