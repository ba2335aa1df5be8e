import fs from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { locate, type Roots } from '../files.ts';
import { managerPlaces } from './manager-places.ts';
import type { ManagerState } from './manager-state.ts';
import type { ScanOrder, ScanReply } from './scan.thread.ts';

/** What the package managers of the machine left in their own files. Nothing is asked, locked or refreshed. */
export interface PackageState {
  /** Reads all of it, in a thread: lists have tens of megabytes. */
  scan(): Promise<ManagerState[]>;
  /** Another one whenever a manager may have done something. */
  signature(): string;
  /** Calls back when one did, some seconds after the last of it; returns the way to stop. */
  follow(changed: () => void): () => void;
}

const scanWithinMs = 120_000;
/** An upgrade touches its files a thousand times. */
const settledMs = 3000;

export function createPackageState(
  roots: Roots,
  home: string,
  clock: Pick<Clock, 'after'>,
  startThread: StartThread,
): PackageState {
  const places = () => managerPlaces(home).map((place) => locate(roots, place));
  return {
    scan: () => scanOnce({ roots, home }, clock, startThread),
    signature: () => placesSignature(places()),
    follow(changed) {
      let cancel = () => {};
      const heard = () => {
        cancel();
        cancel = clock.after(settledMs, changed);
      };
      const stops = places().flatMap((place) => watchPlace(place, heard) ?? []);
      return () => {
        cancel();
        for (const stop of stops) stop();
      };
    },
  };
}

export const placesSignature = (places: readonly string[]): string =>
  places
    .map((place) => {
      try {
        const stat = fs.statSync(place, { throwIfNoEntry: false });
        return stat === undefined ? '-' : `${stat.ino}:${stat.mtimeMs}`;
      } catch {
        return '?';
      }
    })
    .join(' ');

/** null: it is not there, or the system has no watch left; then the next look finds it. */
function watchPlace(place: string, heard: () => void): (() => void) | null {
  try {
    if (!fs.statSync(place).isDirectory()) return null;
    const watcher = fs.watch(place, { persistent: false }, heard);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return null;
  }
}

async function scanOnce(order: ScanOrder, clock: Pick<Clock, 'after'>, startThread: StartThread) {
  const { promise, resolve, reject } = Promise.withResolvers<ManagerState[]>();
  const thread = await startThread('packages', order, {
    message(reply) {
      const found = reply as ScanReply;
      if ('managers' in found) resolve(found.managers);
      else reject(new Error(found.problem));
    },
    failed: (reason) => reject(new Error(`the thread that reads package lists ended: ${reason}`)),
  });
  const cancel = clock.after(scanWithinMs, () =>
    reject(new Error(`the package lists could not be read within ${scanWithinMs / 1000} s`)),
  );
  try {
    return await promise;
  } finally {
    cancel();
    thread.end();
  }
}
