import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { createStops } from '../../../lib/closing.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import { watchDirectory } from '../../watch-directory.ts';

export interface WatchedPlaces {
  runtime: string | null;
  /** Sockets of the session bus in other directories. */
  buses: string[];
  x11Sockets: string;
  clock: Clock;
  changed(): void;
}

/** A desktop sets its variables after it has created its sockets; a second check finds them, ms. */
const secondCheckMs = 1500;
/** Several sockets are created together, ms. */
const gatherMs = 30;
/** Other users can create names for X servers as often as they like, ms. */
const leastPauseMs = 1000;

/** Reports sockets that are created and removed: every session has one. */
export function watchPlaces({ runtime, buses, x11Sockets, clock, changed }: WatchedPlaces): () => void {
  const paced = createThrottle(clock, leastPauseMs, changed);
  let cancelSoon: (() => void) | null = null;
  let cancelLater = () => {};
  const report = () => {
    // Not begun anew by each event, or a stream of them would end all reports.
    cancelSoon ??= clock.after(gatherMs, () => {
      cancelSoon = null;
      paced.ask();
    });
    cancelLater();
    cancelLater = clock.after(secondCheckMs, paced.ask);
  };
  const stops = createStops(
    watchPlace(x11Sockets, { clock, report, isOfInterest: (name) => /^X\d+$/.test(name), stays: true }),
    ...(runtime === null
      ? []
      : [watchPlace(runtime, { clock, report, isOfInterest: isSocketOfSession, stays: false })]),
    ...buses.map((socket) =>
      watchPlace(path.dirname(socket), {
        clock,
        report,
        isOfInterest: (name) => name === path.basename(socket),
        stays: false,
      }),
    ),
  );
  return () => {
    cancelSoon?.();
    cancelLater();
    paced.cancel();
    stops.end();
  };
}

const isSocketOfSession = (name: string) => name === 'bus' || /^(wayland-\d+|sway-ipc\..*|xauth_.*)$/.test(name);

interface Interest {
  clock: Clock;
  report(): void;
  isOfInterest(name: string): boolean;
  /** It is never removed once it exists, so its parent, a busy directory, is watched only until then. */
  stays: boolean;
}

/** Also before it exists, and when it is removed and created again, as the runtime directory is by a logout and a login. */
function watchPlace(directory: string, { clock, report, isOfInterest, stays }: Interest): () => void {
  let stopInside = () => {};
  let stopOutside = () => {};
  const watchInside = () => {
    stopInside();
    stopInside = listenTo(directory, clock, (name) => {
      if (name === null || isOfInterest(name)) report();
    });
    if (stays && fs.existsSync(directory)) stopOutside();
  };
  stopOutside = listenTo(path.dirname(directory), clock, (name) => {
    if (name !== null && name !== path.basename(directory)) return;
    watchInside();
    report();
  });
  watchInside();
  return () => {
    stopOutside();
    stopInside();
  };
}

/** Calls back with names that are added to a directory or removed; null: any. Does nothing without such a directory. */
function listenTo(directory: string, clock: Clock, report: (name: string | null) => void): () => void {
  try {
    return watchDirectory(directory, clock, (name, event) => {
      if (event === 'rename') report(name);
    });
  } catch {
    return () => {};
  }
}
