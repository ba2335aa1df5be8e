import { expect, test } from 'bun:test';
import { lacks } from '../../../test/harness/lacks.ts';
import { createClock } from '../../host/clock.ts';
import { createCpuAccount } from './cpu-account.ts';

function thread() {
  let used = 100;
  const account = createCpuAccount(() => used);
  const work = (ms: number) => {
    used += ms;
  };
  const begunAndWaiting = () => {
    const charge = account.begin();
    charge.wait();
    return charge;
  };
  return { account, work, begunAndWaiting };
}

test('a synchronous read is charged what the thread used meanwhile', () => {
  const { account, work } = thread();
  work(50);
  const read = account.begin();
  work(3);
  expect(read.end()).toBe(3);
});

test('a synchronous read is not charged to reads that wait', () => {
  const { account, work } = thread();
  const slow = account.begin();
  work(2);
  slow.wait();
  work(1);
  const quick = account.begin();
  work(20);
  expect(quick.end()).toBe(20);
  work(1);
  expect(slow.end()).toBe(4);
});

test('reads that wait at the same time share what was used, and the sum is exact', () => {
  const { work, begunAndWaiting } = thread();
  const first = begunAndWaiting();
  work(4);
  const second = begunAndWaiting();
  work(10);
  expect(first.end()).toBe(9);
  work(2);
  expect(second.end()).toBe(7);
});

test('an abandoned read no longer shares, and ends once', () => {
  const { work, begunAndWaiting } = thread();
  const stuck = begunAndWaiting();
  work(5);
  expect([stuck.end(), stuck.end()]).toEqual([5, 0]);
  const next = begunAndWaiting();
  work(2);
  expect(next.end()).toBe(2);
});

test('the clock of a thread does not count waiting', async () => {
  const { cpu } = createClock();
  const beforeWaiting = cpu();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(cpu() - beforeWaiting).toBeLessThan(250);
});

test.skipIf(lacks('clock'))('the clock of a thread counts short work', () => {
  const { cpu } = createClock();
  // A clock that moves only with the scheduler's tick would show most of these as zero, and the rest as a whole tick.
  const steps = Array.from({ length: 20 }, () => {
    const from = cpu();
    for (let at = 0; at < 5; at += 1) cpu();
    return cpu() - from;
  });
  expect(steps.filter((ms) => ms > 0).length).toBeGreaterThanOrEqual(18);
});
