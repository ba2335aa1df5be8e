import path from 'node:path';
import type { Host } from '../../../host/host.ts';

/** Where the application's socket may be, best first, and what to watch for it to appear. */
export interface Sockets {
  /** Of all places, those where one can be. Asks about directories first: most of them do not exist. */
  candidates(exists: (path: string) => boolean, isOurs: (path: string) => boolean): string[];
  /** Directories whose changes matter; empty where sockets are in no directory. */
  directories: string[];
  /** Whether a name in one of them has to do with the socket. */
  matters(name: string): boolean;
}

const numbers = Array.from({ length: 10 }, (_, number) => number);

export function windowsSockets(): Sockets {
  return {
    // Whether there is a pipe shows when it is opened.
    candidates: () => numbers.map((number) => `\\\\?\\pipe\\discord-ipc-${number}`),
    directories: [],
    matters: () => false,
  };
}

/** Flatpak and Snap have directories of their own below the usual ones. */
const below = ['', 'app/com.discordapp.Discord', 'snap.discord'];

export function unixSockets({ paths, environment }: Pick<Host, 'paths' | 'environment'>): Sockets {
  const named = [paths.runtime, ...['TMPDIR', 'TMP', 'TEMP'].map(environment.variable), '/tmp'];
  const usable = named.filter((directory) => directory !== null && path.isAbsolute(directory));
  const roots = [...new Set(usable.map((directory) => path.resolve(directory ?? '')))];
  const directories = roots.flatMap((root) => below.map((inner) => path.join(root, inner)));
  return {
    candidates: (exists, isOurs) =>
      directories
        .filter(exists)
        .flatMap((directory) => numbers.map((number) => path.join(directory, `discord-ipc-${number}`)))
        .filter(exists)
        // Everybody may put one into /tmp, and would be told the token of the user.
        .filter(isOurs),
    // Those that do not exist yet show up in the ones above them.
    directories: [...new Set(roots.flatMap((root) => ['', 'app', ...below].map((inner) => path.join(root, inner))))],
    matters: (name) => name.startsWith('discord-ipc-') || onTheWay.has(name),
  };
}

const onTheWay = new Set(['app', 'com.discordapp.Discord', 'snap.discord']);
