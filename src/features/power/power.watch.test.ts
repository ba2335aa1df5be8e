import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import type { PowerControl } from './power.contract.ts';
import { createWatch } from './power.watch.ts';

/** A machine whose announcements come from the test, and an audience that comes and goes. */
function stage({ refuse = 0 } = {}) {
  const host = fakeHost();
  const log: string[] = [];
  const listeners = new Set<() => void>();
  let audience = 0;
  let hear: ((event: MachineEvent) => void) | null = null;
  let held = 0;
  let taken = 0;
  let refusals = refuse;
  const controls: PowerControl = {
    verbs: { sleep: null, hibernate: null, restart: null, shutdown: null, lock: null, logout: null },
    announcements: {
      async follow(heard) {
        if (refusals-- > 0) throw new Error('no bus');
        hear = heard;
        log.push('follows');
        return () => {
          hear = null;
          log.push('stops');
        };
      },
      async delay() {
        held++;
        taken++;
        return () => {
          held--;
        };
      },
    },
    notify: null,
  };
  const parts = {
    host,
    log: fakeContext().log,
    audience: {
      count: () => audience,
      onChange(changed: () => void) {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
      async refresh(limitMs: number) {
        log.push(`refresh ${limitMs} with ${held} held`);
      },
    },
  };
  const watch = createWatch(
    parts,
    () => void log.push('resumed'),
    async () => controls,
  );
  const settle = async () => {
    for (let turn = 0; turn < 30; turn++) await Promise.resolve();
  };
  return {
    watch,
    log,
    settle,
    held: () => held,
    taken: () => taken,
    async come(count: number) {
      audience = count;
      for (const listener of listeners) listener();
      await settle();
    },
    async pass(ms: number) {
      host.clock.advance(ms);
      await settle();
    },
    nothingWaits: () => !host.clock.advanceToNext(),
    async hear(event: MachineEvent) {
      hear?.(event);
      await settle();
    },
  };
}

test('nothing is followed or held while nobody listens, and no timer runs', () => {
  const { log, held, nothingWaits } = stage();
  expect([log, held(), nothingWaits()]).toEqual([[], 0, true]);
});

test('while somebody listens sleep and shutdown wait for us; a client that comes back soon changes nothing', async () => {
  const { come, held, taken, log, pass } = stage();
  await come(1);
  expect([held(), log]).toEqual([1, ['follows']]);
  await come(0);
  await pass(9000);
  await come(1);
  expect([held(), taken()]).toEqual([1, 1]);
  await come(0);
  await pass(10_000);
  expect([held(), log]).toEqual([0, ['follows', 'stops']]);
});

test('before sleep those who listen get a last update, then it is let go of', async () => {
  for (const event of ['sleep', 'shutdown'] as const) {
    const { come, hear, held, log, pass } = stage();
    await come(1);
    await hear(event);
    expect([log.at(-1), held()]).toEqual(['refresh 1500 with 1 held', 1]);
    await pass(250);
    expect(held()).toBe(0);
  }
});

test('after it everything is refreshed, and the next sleep waits again', async () => {
  const { come, hear, held, log, pass } = stage();
  await come(1);
  await hear('sleep');
  await pass(250);
  await hear('resume');
  expect(log).toContain('resumed');
  expect(log.at(-1)).toStartWith('refresh 5000');
  expect(held()).toBe(1);
});

test('a shutdown that was called off is waited for again, and is no resume', async () => {
  const { come, hear, held, log, pass } = stage();
  await come(1);
  await hear('shutdown');
  await pass(250);
  await hear('shutdown-cancelled');
  expect([held(), log.includes('resumed')]).toEqual([1, false]);
});

test('after a restart of the bus it is taken anew, without a moment in between', async () => {
  const { come, hear, held, taken } = stage();
  await come(1);
  await hear('reconnected');
  expect([held(), taken()]).toEqual([1, 2]);
});

test('what cannot be had is tried again, less and less often, while somebody listens', async () => {
  const { come, held, pass, log } = stage({ refuse: 2 });
  await come(1);
  await pass(5000);
  expect(held()).toBe(0);
  await come(2);
  await pass(9000);
  expect(held()).toBe(0);
  await pass(1000);
  expect([held(), log]).toEqual([1, ['follows']]);
});

test('nobody is there any more: it is not tried again', async () => {
  const { come, pass, log, nothingWaits } = stage({ refuse: 1 });
  await come(1);
  await come(0);
  await pass(60_000);
  expect([log, nothingWaits()]).toEqual([[], true]);
});

test('an order makes sleep wait for its answer, also when nobody listens', async () => {
  const { watch, held, pass, settle } = stage();
  const guarding = watch.guard();
  await settle();
  const letGo = await guarding;
  expect(held()).toBe(1);
  letGo();
  letGo();
  await pass(10_000);
  expect(held()).toBe(0);
});

test('who comes back before it was built up finds it built up', async () => {
  const { watch, held, settle, pass, log } = stage();
  watch.want()();
  await settle();
  const gone = watch.want();
  await pass(20_000);
  expect([held(), log]).toEqual([1, ['follows']]);
  gone();
});

test('what is closed while it is built up is let go of', async () => {
  const { watch, held, settle, log } = stage();
  watch.want();
  watch.close();
  await settle();
  expect([held(), log]).toEqual([0, ['follows', 'stops']]);
});

test('closing lets go of everything', async () => {
  const { watch, come, held, log, nothingWaits } = stage();
  await come(1);
  watch.close();
  await come(2);
  expect([held(), log, nothingWaits()]).toEqual([0, ['follows', 'stops'], true]);
});
