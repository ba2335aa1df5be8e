import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { type Answer, createPatience, type Lane } from '../../../lib/hang-guard.ts';
import { locate, type Roots } from '../files.ts';
import { createSpareThread } from './volumes.thread.ts';

/** The file systems of this machine. Places are bytes as characters, one by one: names need not be valid UTF-8. */
export interface Mounts {
  /** The table of what is mounted, to be read like any other file. */
  table: string;
  /** How full the file system at a place is. Only for those that answer from memory: nothing else goes on meanwhile. */
  space(place: string): Answer<Space>;
  /** The same in another thread, and waited for only a little. The id tells apart what comes to the same place one after another. */
  spaceLater(id: number, place: string): Promise<Answer<Space>>;
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
}

export function createMounts(roots: Roots, clock: Clock): Mounts {
  // A moved root is that of another machine, or of the host of a container; its first process sees all of it.
  const table = roots.all === undefined ? '/proc/self/mountinfo' : '/proc/1/mountinfo';
  const bytesOf = (place: string) =>
    Buffer.from(roots.all === undefined ? place : path.join(roots.all, place), 'latin1');
  const inPool: Lane<Space> = {
    ask: (key) =>
      new Promise((resolve, reject) => {
        fs.statfs(bytesOf(placeOf(key)), (error, found) => (error === null ? resolve(toSpace(found)) : reject(error)));
      }),
  };
  const inThread = (): Lane<Space> => {
    const ask = createSpareThread(clock);
    return { ask: async (key) => toSpace(await ask(bytesOf(placeOf(key)))), spare: true };
  };
  const patience = createPatience(clock, [
    ...Array.from({ length: poolLanes() }, () => ({ ...inPool })),
    ...Array.from({ length: spareThreads }, inThread),
  ]);
  return {
    table,
    space(place) {
      try {
        return { kind: 'value', value: toSpace(fs.statfsSync(bytesOf(place))) };
      } catch (error) {
        return { kind: 'failed', code: codeOf(error) };
      }
    },
    spaceLater: (id, place) => patience.ask(`${id} ${place}`),
    onLate: patience.onLate,
    async follow(changed) {
      const { followMounts } = await import('./mount-changes.ts');
      return followMounts(locate(roots, table), clock, changed);
    },
  };
}

/** The runtime has a thread for each processor, two at least, and needs some for itself: what hangs gets half of them at most. */
const poolLanes = () => Math.max(1, Math.floor(os.availableParallelism() / 2));
/** Threads of our own for the others while those hang: 9 MB for the first, 6 for each further one. */
const spareThreads = 3;

const placeOf = (key: string) => key.slice(key.indexOf(' ') + 1);

function toSpace({ frsize, bsize, blocks, bfree, bavail }: FoundSpace): Space {
  // Blocks are counted in fragments; a file system in user space may have larger blocks beside them.
  const size = frsize || bsize;
  return { total: blocks * size, free: bfree * size, available: bavail * size };
}

export interface FoundSpace {
  /** Missing in runtimes other than ours. */
  frsize?: number;
  bsize: number;
  blocks: number;
  bfree: number;
  bavail: number;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
