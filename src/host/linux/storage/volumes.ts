import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { codeOf } from '../../../lib/errors.ts';
import { createHangGuard, type Lane } from '../../../lib/hang-guard.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { createThreadCalls } from '../../../lib/thread-calls.ts';
import type { Space, Volumes } from '../../volumes.ts';
import { locate, type Roots } from '../files.ts';

/** A moved root is that of another machine, or of the host of a container; its first process sees all of it. */
export const mountTableOf = (roots: Roots) => (roots.all === undefined ? '/proc/self/mountinfo' : '/proc/1/mountinfo');

export function createVolumes(roots: Roots, clock: Clock, startThread: StartThread): Volumes {
  const bytesOf = (place: string) =>
    Buffer.from(roots.all === undefined ? place : path.join(roots.all, place), 'latin1');
  const inPool: Lane<Space> = {
    ask: (key) =>
      new Promise((resolve, reject) => {
        fs.statfs(bytesOf(placeOf(key)), (error, found) => (error === null ? resolve(toSpace(found)) : reject(error)));
      }),
  };
  const inThread = (): Lane<Space> => {
    // One file system at a time, without a time limit: a thread that waits in the kernel cannot be ended.
    const calls = createThreadCalls(startThread, clock, { job: 'space', idleMs });
    return { ask: async (key) => toSpace((await calls.ask(bytesOf(placeOf(key)))) as FoundSpace), spare: true };
  };
  const hangGuard = createHangGuard(clock, [
    ...Array.from({ length: poolLanes() }, () => ({ ...inPool })),
    ...Array.from({ length: spareThreads }, inThread),
  ]);
  return {
    space(place) {
      try {
        return { kind: 'value', value: toSpace(fs.statfsSync(bytesOf(place))) };
      } catch (error) {
        return { kind: 'failed', code: codeOf(error) ?? String(error) };
      }
    },
    spaceLater: (key, place) => hangGuard.ask(`${key} ${place}`),
    onLate: hangGuard.onLate,
    async follow(changed) {
      const { followUrgent } = await import('../proc/poll-notify.ts');
      return followUrgent(locate(roots, mountTableOf(roots)), 'announces-once', clock, changed);
    },
  };
}

/** The runtime has a thread for each processor, two at least, and needs some for itself: hanging calls get half of them at most. */
const poolLanes = () => Math.max(1, Math.floor(os.availableParallelism() / 2));
/** Our own threads for further file systems while those hang: 9 MB for the first, 6 for each further one. */
const spareThreads = 3;
const idleMs = 30_000;

const placeOf = (key: string) => key.slice(key.indexOf(' ') + 1);

/** Other runtimes have no `frsize`. */
type FoundSpace = Omit<fs.StatsFs, 'type' | 'frsize'> & { frsize?: number };

function toSpace({ frsize, bsize, blocks, bfree, bavail, files, ffree }: FoundSpace): Space {
  // Blocks are counted in fragments; a file system in user space may have larger blocks beside them.
  const size = frsize || bsize;
  return { total: blocks * size, free: bfree * size, available: bavail * size, files, freeFiles: ffree };
}
