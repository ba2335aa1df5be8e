import path from 'node:path';
import type { Host } from '../../../host/host.ts';

/** Where the application's socket may be, best first, and what to watch for it to appear. */
export interface Sockets {
  /** Of all paths, those where a socket may exist. Checks directories first: most of them do not exist. */
  candidates(exists: (path: string) => boolean, isOurs: (path: string) => boolean): string[];
  /** Directories to watch; empty where sockets are in no directory. */
  directories: string[];
  /** Whether a name in one of them concerns the socket. */
  matters(name: string): boolean;
}

const numbers = Array.from({ length: 10 }, (_, number) => number);

export function windowsSockets(): Sockets {
  return {
    // Opening a pipe shows whether it exists.
    candidates: () => numbers.map((number) => `\\\\?\\pipe\\discord-ipc-${number}`),
    directories: [],
    matters: () => false,
  };
}

/** Flatpak and Snap have their own directories below the usual ones. */
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
        // Any user may create one in /tmp, and would receive the token.
        .filter(isOurs),
    // Missing directories appear in their parents.
    directories: [...new Set(roots.flatMap((root) => ['', 'app', ...below].map((inner) => path.join(root, inner))))],
    matters: (name) => name.startsWith('discord-ipc-') || onTheWay.has(name),
  };
}

const onTheWay = new Set(['app', 'com.discordapp.Discord', 'snap.discord']);
