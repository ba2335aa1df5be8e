import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createArrivals } from './processes.new.ts';

/** A machine whose processes are just directories, with a kernel that says which number it handed out last. */
function machine({ tells = true } = {}) {
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
  const arrivals = createArrivals(counted, clock.monotonic, tells ? (pid) => existing.has(pid) : null);
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

/** Until it is seen that numbers are handed out in turn. */
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

  test('are not looked for while no number is handed out, but for a listing now and then', async () => {
    const { find, start, lists, clock } = machine();
    start(1);
    for (let look = 0; look < 10; look += 1) {
      await find();
      clock.advance(2000);
    }
    expect(lists()).toBe(2);
    clock.advance(30_000);
    await find();
    expect(lists()).toBe(3);
  });

  test('that came though no number was handed out are found within half a minute, and the next at once', async () => {
    const { find, start, lists, clock } = machine();
    start(1, 100);
    for (let look = 0; look < 3; look += 1) await find();
    start(7, 100);
    expect(await find()).toEqual([]);
    clock.advance(30_000);
    expect(await find()).toEqual([7]);
    const before = lists();
    start(8, 100);
    expect(await find()).toEqual([8]);
    // Numbers come in turn from now on.
    for (let pid = 101; pid <= 103; pid += 1) {
      start(pid);
      expect(await find()).toEqual([pid]);
    }
    expect(lists()).toBe(before + 4);
    for (let look = 0; look < 3; look += 1) await find();
    expect(lists()).toBe(before + 4);
  });

  test('are found without listing, once numbers were seen to come in turn', async () => {
    const { find, start, lists, before } = await trusted();
    start(110);
    expect(await find()).toEqual([110]);
    expect(await find()).toEqual([]);
    expect(lists()).toBe(before);
  });

  test('that have their number, but are not there yet, are found at the next look', async () => {
    const { find, start, lists, before } = await trusted();
    start(111, 112);
    expect(await find()).toEqual([111]);
    start(112);
    expect(await find()).toEqual([112]);
    expect(lists()).toBe(before);
  });

  test('with a number out of turn are found within half a minute, and then listing is trusted again', async () => {
    const { find, start, lists, before, clock } = await trusted();
    start(5000, 105);
    expect(await find()).toEqual([]);
    clock.advance(30_000);
    expect(await find()).toEqual([5000]);
    await find();
    expect(lists()).toBe(before + 2);
  });

  test('are found when numbers begin anew', async () => {
    const { find, start, known } = await trusted();
    known.delete(50);
    start(50);
    expect(await find()).toEqual([50]);
  });

  test('are listed when so many numbers were handed out that trying them would take longer', async () => {
    const { find, start, lists, before } = await trusted();
    start(4000);
    expect(await find()).toEqual([4000]);
    expect(lists()).toBe(before + 1);
  });

  test('are listed where the kernel does not tell', async () => {
    for (const made of [machine({ tells: false }), machine()]) {
      for (let pid = 1; pid <= 100; pid += 1) made.start(pid, 0);
      for (let look = 0; look < 5; look += 1) {
        made.start(200 + look, 0);
        expect(await made.find()).toContain(200 + look);
      }
      expect(made.lists()).toBe(5);
    }
  });
});

test('a process that may not be looked at is not found again, and shows that some are hidden', async () => {
  const { arrivals, find, start, known } = machine();
  for (const pid of [1, 2]) start(pid);
  await find();
  known.delete(2);
  arrivals.refuse(2);
  expect(await find()).toEqual([]);
  expect(arrivals.hidesSome()).toBe(true);
});

test('without the first process some are hidden, and without any there is no /proc', async () => {
  const { arrivals, find, start } = machine();
  await find();
  expect(arrivals.isThere()).toBe(false);
  start(30);
  await find();
  expect(arrivals.isThere()).toBe(true);
  expect(arrivals.hidesSome()).toBe(true);
});
