import path from 'node:path';
import type { Host } from '../../../host/host.ts';
import type { Storage } from '../../../host/storage.ts';

/** Where the application's socket may be, best first, and what to watch for it to appear. */
export interface Sockets {
  /** Of all paths, those where a socket may exist. Checks directories first: most of them do not exist. */
  candidates(exists: (path: string) => boolean, isOurs: (path: string) => boolean): string[];
  /** Directories to watch; empty where sockets are in no directory. */
  directories(isOurs: (path: string) => boolean): string[];
  /** Whether a name in one of them concerns the socket. */
  matters(name: string): boolean;
}

const numbers = Array.from({ length: 10 }, (_, number) => number);

export function windowsSockets(): Sockets {
  return {
    // Opening a pipe shows whether it exists.
    candidates: () => numbers.map((number) => `\\\\?\\pipe\\discord-ipc-${number}`),
    directories: () => [],
    matters: () => false,
  };
}

/** Flatpak and Snap have their own directories below the usual ones. */
const below = ['', 'app/com.discordapp.Discord', 'snap.discord'];

export function unixSockets({ paths, environment }: Pick<Host, 'paths' | 'environment'>): Sockets {
  const named = [paths.runtime, ...['TMPDIR', 'TMP', 'TEMP'].map(environment.variable), '/tmp'];
  const usable = named.filter((directory) => directory !== null && path.isAbsolute(directory));
  const roots = [...new Set(usable.map((directory) => path.resolve(directory ?? '')))];
  /** Any user may create one in /tmp: what is in it, or where it leads, is not looked up. */
  const isOwn = (root: string, inner: string, isOurs: (path: string) => boolean) =>
    inner.split('/').every((part, at, parts) => part === '' || isOurs(path.join(root, ...parts.slice(0, at + 1))));
  const ownPlaces = (inners: readonly string[], isOurs: (path: string) => boolean) =>
    roots.flatMap((root) =>
      inners.filter((inner) => isOwn(root, inner, isOurs)).map((inner) => path.join(root, inner)),
    );
  return {
    candidates: (exists, isOurs) =>
      ownPlaces(below, isOurs)
        .filter(exists)
        .flatMap((directory) => numbers.map((number) => path.join(directory, `discord-ipc-${number}`)))
        .filter(exists)
        // Any user may create one in /tmp, and would receive the token.
        .filter(isOurs),
    // Missing directories appear in their parents.
    directories: (isOurs) => [...new Set(ownPlaces(['app', ...below], isOurs))],
    matters: (name) => name.startsWith('discord-ipc-') || onTheWay.has(name),
  };
}

/** Whether a file exists, and whether it is ours; not where that cannot be found out, as in a directory that is closed to this user. */
export function lookingAt({ signature, isOurs }: Pick<Storage, 'signature' | 'isOurs'>) {
  const quietly = (look: (place: string) => boolean) => (place: string) => {
    try {
      return look(place);
    } catch {
      return false;
    }
  };
  return { exists: quietly((place) => signature(place) !== null), isOurs: quietly(isOurs) };
}

const onTheWay = new Set(['app', 'com.discordapp.Discord', 'snap.discord']);
