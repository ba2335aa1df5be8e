import { expect, test } from 'bun:test';
import { fakeClock, fakeHost, memoryStorage } from '../../test/doubles/fake-host.ts';
import { sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import type { SampleBlock } from './block.ts';
import { openJournal } from './journal.ts';
import { createRecorder } from './recorder.ts';

const paths = { config: '/config', state: '/state', runtime: null };

/** Runs the continuations of settled promises. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

function record({
  settings = { enabled: true, interval: 15, batteryInterval: 60 },
  storage = memoryStorage(),
  isLong = false,
} = {}) {
  const clock = fakeClock();
  const said: string[] = [];
  const log = Object.fromEntries(
    ['debug', 'info', 'warn', 'error', 'setLevel'].map((level) => [
      level,
      (text: string) => void said.push(`${level} ${text}`),
    ]),
  ) as unknown as Log;
  const machine = {
    sleptMs: 0,
    onBattery: false,
    samples: 0,
    forgotten: 0,
    closed: 0,
    takenIn: 0,
    /** How long a sample and moving the journal take. */
    sampleMs: 0,
    moveMs: 0,
  };
  const host = fakeHost({
    clock,
    storage,
    paths,
    environment: { uptime: () => (clock.monotonic() + machine.sleptMs) / 1000 },
  });
  const journal = { ...openJournal(host), ...(isLong ? { isLong: () => true } : {}) };
  const recorder = createRecorder({
    host,
    log,
    timers: createSharedTimers(clock),
    settings: () => settings,
    journal,
    loadSamplers: async () => ({
      async sample(into) {
        into.begin(clock.now());
        into.set('cpu', ++machine.samples);
        if (machine.sampleMs > 0) await sleep(clock, machine.sampleMs);
        return machine.onBattery;
      },
      forgetCounts() {
        machine.forgotten += 1;
      },
      close() {
        machine.closed += 1;
      },
    }),
    async takeIn() {
      machine.takenIn += 1;
      await sleep(clock, machine.moveMs);
    },
  });
  return {
    recorder,
    clock,
    machine,
    said,
    storage,
    settings,
    /** Advances by this many seconds, a second at a time. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000);
        await turn();
      }
    },
    written: (): SampleBlock[] => journal.takeIn((blocks) => blocks),
  };
}

test('a sample is taken every 15 s and written after five minutes, not before', async () => {
  const { pass, machine, written, storage } = record();
  await pass(290);
  expect(machine.samples).toBe(19);
  expect(storage.contents.size).toBe(0);
  await pass(20);
  const blocks = written();
  expect(blocks).toHaveLength(1);
  expect(blocks[0]?.every).toBe(15_000);
  expect(blocks[0]?.series.cpu).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(blocks[0]?.events.map(({ kind }) => kind)).toEqual(['start']);
});

test('a sample that takes longer than the interval does not delay the next ones', async () => {
  const { pass, machine, recorder } = record();
  machine.sampleMs = 20_000;
  await pass(90);
  expect(machine.samples).toBe(6);
  recorder.stop();
  expect(machine.closed).toBe(0);
  await pass(20);
  expect(machine.closed).toBe(1);
});

test('after a stall of the machine a sample is taken at once, and the next ones at their usual times', async () => {
  const { pass, clock, recorder } = record();
  await pass(30);
  clock.stall(41_000);
  await pass(20);
  const [block] = recorder.unwritten();
  const start = (block?.at[0] ?? 0) - 15_000;
  expect(block?.at.map((at) => at - start)).toEqual([15_000, 30_000, 71_000, 75_000, 90_000]);
});

test('moving the journal does not delay samples, and is not begun twice', async () => {
  const { pass, machine } = record({ isLong: true });
  machine.moveMs = 400_000;
  await pass(690);
  expect(machine).toMatchObject({ samples: 46, takenIn: 1 });
  await pass(300);
  expect(machine.takenIn).toBe(2);
});

test('on battery a sample is taken every minute', async () => {
  const { pass, machine, recorder } = record();
  machine.onBattery = true;
  await pass(15);
  expect(recorder.intervalMs()).toBe(60_000);
  await pass(180);
  expect(machine.samples).toBe(4);
});

test('a changed interval takes effect at once', async () => {
  const { pass, machine, settings, recorder } = record();
  await pass(30);
  settings.interval = 5;
  recorder.reschedule();
  await pass(30);
  expect(machine.samples).toBe(8);
});

test('sleep is recorded as two events, and earlier samples are written', async () => {
  const { pass, clock, machine, written } = record();
  await pass(60);
  machine.sleptMs = 3_600_000;
  clock.set(clock.now() + 3_600_000);
  await pass(15);
  const [block] = written();
  expect(block?.at).toHaveLength(4);
  expect(block?.events.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'start: Hostler was started',
    'sleep: The machine went to sleep',
    'wake: The machine woke up after 60 min',
  ]);
  const [, sleep, wake] = block?.events ?? [];
  expect((wake?.at ?? 0) - (sleep?.at ?? 0)).toBeGreaterThan(3_599_000);
  expect(machine.forgotten).toBe(1);
});

test.each([
  [3_600_000, 'The clock was set forward by 60 min'],
  [-86_400_000, 'The clock was set back by 24 h'],
])('setting the clock by %d ms is an event, and no sleep', async (ms, sentence) => {
  const { pass, clock, written } = record();
  await pass(30);
  clock.set(clock.now() + ms);
  await pass(15);
  expect(written()[0]?.events.at(-1)).toMatchObject({ kind: 'clock', text: sentence });
});

test('a small correction of the clock is ignored', async () => {
  const { pass, clock, storage } = record();
  await pass(30);
  clock.set(clock.now() + 1000);
  await pass(15);
  expect(storage.contents.size).toBe(0);
});

test('a full disk is logged once, loses nothing within an hour, and its end is logged', async () => {
  const storage = memoryStorage();
  const append = storage.append;
  storage.append = () => {
    throw new Error('ENOSPC: no space left on device');
  };
  const { pass, said, written, recorder } = record({ storage });
  await pass(1000);
  expect(said.filter((line) => line.includes('no space left'))).toHaveLength(1);
  expect(recorder.unwritten().flatMap(({ at }) => at)).toHaveLength(66);
  storage.append = append;
  await pass(300);
  expect(said.at(-1)).toBe('info history: the files can be written again');
  expect(written().flatMap(({ at }) => at).length).toBeGreaterThanOrEqual(80);
});

test('a disk that stays full does not fill the memory', async () => {
  const storage = memoryStorage();
  storage.append = () => {
    throw new Error('ENOSPC');
  };
  const { pass, recorder } = record({ storage });
  await pass(3 * 3600);
  expect(recorder.unwritten().length).toBeLessThanOrEqual(13);
});

test('stop writes the last block, and nothing happens after it', async () => {
  const { pass, recorder, written, machine, clock } = record();
  await pass(30);
  recorder.stop();
  recorder.stop();
  const [block] = written();
  expect(block?.at).toHaveLength(2);
  expect(block?.events.map(({ kind }) => kind)).toEqual(['start', 'stop']);
  expect(machine.closed).toBe(1);
  expect(clock.advanceToNext()).toBe(false);
});

test('an event can be noted at any time', async () => {
  const { pass, said, machine, recorder } = record();
  await pass(15);
  recorder.note('order', 'power.sleep, by the token "main"');
  expect(recorder.unwritten()[0]?.events.map(({ kind }) => kind)).toEqual(['start', 'order']);
  expect(machine.samples).toBe(1);
  expect(said).toEqual([]);
});
