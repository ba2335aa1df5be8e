import type { GuardedResult } from '../lib/hang-guard.ts';

/** How full the file systems of this machine are. Paths are bytes as Latin-1 characters: names need not be valid UTF-8. */
export interface Volumes {
  /** How full the file system at a place is. Only for local file systems: the call blocks the process. */
  space(place: string): GuardedResult<Space>;
  /** The same in another thread, with a short time limit. The key distinguishes file systems that are mounted at the same path one after another. */
  spaceLater(key: string, place: string): Promise<GuardedResult<Space>>;
  /** Calls back for file systems that answered after the time limit; returns the function that unsubscribes. */
  onLate(listener: () => void): () => void;
  /** Calls back when something may have been mounted or unmounted; rejects where that is not announced. Returns the function that unsubscribes. */
  follow(changed: () => void): Promise<() => void>;
}

/** Bytes. */
export interface Space {
  total: number;
  free: number;
  /** Available to users other than root. */
  available: number;
  /** Maximum and free number of files; left out: not available on this platform. */
  files?: number;
  freeFiles?: number;
}
