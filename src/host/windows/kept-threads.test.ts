import { expect, test } from 'bun:test';
import type { StartedThread, StartThread } from '../../lib/thread.ts';
import { keepThreads } from './kept-threads.ts';

test('a thread never ends: it takes the next job once it is free', async () => {
  const log: string[] = [];
  const freed: (() => void)[] = [];
  const start: StartThread<StartedThread> = async (job) => {
    log.push(`start ${job}`);
    return {
      send: () => {},
      end: () => void log.push('end'),
      free: (done) => void freed.push(done),
      take: (next) => void log.push(`take ${next}`),
    };
  };
  const startThread = keepThreads(start);
  const events = { message: () => {}, failed: () => {} };
  const first = await startThread('a', null, events);
  first.end();
  first.end();
  expect(freed).toHaveLength(1);
  // It is still blocked in the kernel.
  await startThread('b', null, events);
  freed[0]?.();
  await startThread('c', null, events);
  expect(log).toEqual(['start a', 'start b', 'take c']);
});
