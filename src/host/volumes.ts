import type { GuardedAnswer } from '../lib/hang-guard.ts';

/** How full the file systems of this machine are. Places are bytes as characters, one by one: names need not be valid UTF-8. */
export interface Volumes {
  /** How full the file system at a place is. Only for those that answer from memory: nothing else goes on meanwhile. */
  space(place: string): GuardedAnswer<Space>;
  /** The same in another thread, and waited for only a little. The key tells apart what comes to the same place one after another. */
  spaceLater(key: string, place: string): Promise<GuardedAnswer<Space>>;
  /** Hears of file systems that answered after they were given up; returns the way to stop. */
  onLate(listener: () => void): () => void;
  /** Hears when something may have been mounted or unmounted; rejects where that is not announced. Returns the way to stop. */
  follow(changed: () => void): Promise<() => void>;
}

/** Bytes. */
export interface Space {
  total: number;
  free: number;
  /** What others than root can have of it. */
  available: number;
  /** How many files there can be, and how many more; left out: this platform does not tell. */
  files?: number;
  freeFiles?: number;
}
