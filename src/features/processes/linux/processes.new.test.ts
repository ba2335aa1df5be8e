import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createArrivals } from './processes.new.ts';

/** A machine whose processes are directories, with a kernel that reports the last PID. */
function machine({ hasClock = true } = {}) {
  const existing = new Set<number>();
  const files = machineFiles({ '/proc/loadavg': '0.20 0.18 0.12 1/80 100\n' });
  const clock = fakeClock();
  let lists = 0;
  const counted = {
    ...files,
    names: (path: string) => {
      lists += 1;
      return files.names(path);
    },
  };
  const arrivals = createArrivals(counted, clock.monotonic, hasClock ? (pid) => existing.has(pid) : null);
  const known = new Set<number>();
  return {
    arrivals,
    clock,
    lists: () => lists,
    start(pid: number, last = pid) {
      existing.add(pid);
      files.write(`/proc/${pid}/stat`, '');
      files.write('/proc/loadavg', `0.20 0.18 0.12 1/80 ${last}\n`);
    },
    async find() {
      const found = await arrivals.find(known);
      for (const pid of found) known.add(pid);
      return found.sort((a, b) => a - b);
    },
    known,
  };
}

/** Until PIDs are known to be sequential. */
async function trusted() {
  const made = machine();
  for (let pid = 1; pid <= 100; pid += 1) made.start(pid);
  await made.find();
  await made.find();
  for (const pid of [101, 102, 105]) made.start(pid);
  expect(await made.find()).toEqual([101, 102, 105]);
  return { ...made, before: made.lists() };
}

describe('new processes', () => {
  test('are found by listing at first', async () => {
    const { find, start, lists, arrivals } = machine();
    for (const pid of [1, 20, 3]) start(pid, 20);
    expect(await find()).toEqual([1, 3, 20]);
    expect(await find()).toEqual([]);
    expect(lists()).toBe(2);
    expect(arrivals.isThere()).toBe(true);
    expect(arrivals.hidesSome()).toBe(false);
  });

  test('are not searched while the last PID is unchanged, except for a listing every 30 s', async () => {
    const { find, start, lists, clock } = machine();
    start(1);
    for (let read = 0; read < 10; read += 1) {
      await find();
      clock.advance(2000);
    }
    expect(lists()).toBe(2);
    clock.advance(30_000);
    await find();
    expect(lists()).toBe(3);
  });

  test('that came without a new last PID are found within 30 s, and the next one immediately', async () => {
    const { find, start, lists, clock } = machine();
    start(1, 100);
    for (let read = 0; read < 3; read += 1) await find();
    start(7, 100);
    expect(await find()).toEqual([]);
    clock.advance(30_000);
    expect(await find()).toEqual([7]);
    const before = lists();
    start(8, 100);
    expect(await find()).toEqual([8]);
    // PIDs are sequential from now on.
    for (let pid = 101; pid <= 103; pid += 1) {
      start(pid);
      expect(await find()).toEqual([pid]);
    }
    expect(lists()).toBe(before + 4);
    for (let read = 0; read < 3; read += 1) await find();
    expect(lists()).toBe(before + 4);
  });

  test('are found without a listing once PIDs are known to be sequential', async () => {
    const { find, start, lists, before } = await trusted();
    start(110);
    expect(await find()).toEqual([110]);
    expect(await find()).toEqual([]);
    expect(lists()).toBe(before);
  });

  test('that have a PID but are not visible yet are found at the next read', async () => {
    const { find, start, lists, before } = await trusted();
    start(111, 112);
    expect(await find()).toEqual([111]);
    start(112);
    expect(await find()).toEqual([112]);
    expect(lists()).toBe(before);
  });

  test('with a PID out of sequence are found within 30 s, and then listing is used again', async () => {
    const { find, start, lists, before, clock } = await trusted();
    start(5000, 105);
    expect(await find()).toEqual([]);
    clock.advance(30_000);
    expect(await find()).toEqual([5000]);
    await find();
    expect(lists()).toBe(before + 2);
  });

  test('are found when PIDs wrap around', async () => {
    const { find, start, known } = await trusted();
    known.delete(50);
    start(50);
    expect(await find()).toEqual([50]);
  });

  test('are listed when testing all new PIDs would take longer', async () => {
    const { find, start, lists, before } = await trusted();
    start(4000);
    expect(await find()).toEqual([4000]);
    expect(lists()).toBe(before + 1);
  });

  test('are listed if the kernel does not report the last PID', async () => {
    for (const made of [machine({ hasClock: false }), machine()]) {
      for (let pid = 1; pid <= 100; pid += 1) made.start(pid, 0);
      for (let read = 0; read < 5; read += 1) {
        made.start(200 + read, 0);
        expect(await made.find()).toContain(200 + read);
      }
      expect(made.lists()).toBe(5);
    }
  });
});

test('a process without permission is not found again, and sets hidesSome', async () => {
  const { arrivals, find, start, known } = machine();
  for (const pid of [1, 2]) start(pid);
  await find();
  known.delete(2);
  arrivals.refuse(2);
  expect(await find()).toEqual([]);
  expect(arrivals.hidesSome()).toBe(true);
});

test('without process 1 some are hidden, and without any there is no /proc', async () => {
  const { arrivals, find, start } = machine();
  await find();
  expect(arrivals.isThere()).toBe(false);
  start(30);
  await find();
  expect(arrivals.isThere()).toBe(true);
  expect(arrivals.hidesSome()).toBe(true);
});
