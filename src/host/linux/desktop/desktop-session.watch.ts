import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../lib/clock.ts';

export interface WatchedPlaces {
  runtime: string | null;
  /** Sockets of the session bus that are in other places. */
  buses: string[];
  x11Sockets: string;
  clock: Clock;
  changed(): void;
}

/** What a desktop says about itself follows its sockets; a second look finds what came after them, ms. */
const secondLookMs = 1500;
/** Several sockets are made in one go, ms. */
const gatherMs = 30;

/** Hears of sockets that come and go: every session has one, whoever started it. */
export function watchPlaces({ runtime, buses, x11Sockets, clock, changed }: WatchedPlaces): () => void {
  let cancelSoon = () => {};
  let cancelLater = () => {};
  const heard = () => {
    cancelSoon();
    cancelLater();
    cancelSoon = clock.after(gatherMs, changed);
    cancelLater = clock.after(secondLookMs, changed);
  };
  const stops = [
    watchDirectory(x11Sockets, { heard, isOfInterest: (name) => /^X\d+$/.test(name), stays: true }),
    ...(runtime === null ? [] : [watchDirectory(runtime, { heard, isOfInterest: isSocketOfSession, stays: false })]),
    ...buses.map((socket) =>
      watchDirectory(path.dirname(socket), {
        heard,
        isOfInterest: (name) => name === path.basename(socket),
        stays: false,
      }),
    ),
  ];
  return () => {
    cancelSoon();
    cancelLater();
    for (const stop of stops) stop();
  };
}

const isSocketOfSession = (name: string) => name === 'bus' || /^(wayland-\d+|sway-ipc\..*|xauth_.*)$/.test(name);

interface Interest {
  heard(): void;
  isOfInterest(name: string): boolean;
  /** Once it is there nobody removes it, and its parent, in which everybody writes, need not be watched any more. */
  stays: boolean;
}

/** Also while it does not exist yet, or is removed and made again, as the runtime directory is by a logout and a login. */
function watchDirectory(directory: string, { heard, isOfInterest, stays }: Interest): () => void {
  let stopInside = () => {};
  let stopOutside = () => {};
  const lookInside = () => {
    stopInside();
    stopInside = listenTo(directory, (name) => isOfInterest(name) && heard());
    if (stays && fs.existsSync(directory)) stopOutside();
  };
  stopOutside = listenTo(path.dirname(directory), (name) => {
    if (name !== path.basename(directory)) return;
    lookInside();
    heard();
  });
  lookInside();
  return () => {
    stopOutside();
    stopInside();
  };
}

/** Names that appear in a directory or go from it. Nothing where there is no such directory. */
function listenTo(directory: string, heard: (name: string) => void): () => void {
  try {
    const watcher = fs.watch(directory, { persistent: false }, (event, name) => {
      if (event === 'rename' && name !== null) heard(name);
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
