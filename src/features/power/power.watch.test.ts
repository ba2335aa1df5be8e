import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import type { PowerControl } from './power.contract.ts';
import { createWatch } from './power.watch.ts';

/** A machine with announcements from the test, and listeners that come and go. */
function stage({ refuse = 0 } = {}) {
  const host = fakeHost();
  const log: string[] = [];
  const listeners = new Set<() => void>();
  let subscribers = 0;
  let announce: ((event: MachineEvent) => void) | null = null;
  let held = 0;
  let taken = 0;
  let refusals = refuse;
  const controls: PowerControl = {
    verbs: { sleep: null, hibernate: null, restart: null, shutdown: null, lock: null, logout: null },
    announcements: {
      async follow(listener) {
        if (refusals-- > 0) throw new Error('no bus');
        announce = listener;
        log.push('follows');
        return () => {
          announce = null;
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
    subscribers: {
      count: () => subscribers,
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
    for (let tick = 0; tick < 30; tick++) await Promise.resolve();
  };
  return {
    watch,
    log,
    settle,
    held: () => held,
    taken: () => taken,
    async come(count: number) {
      subscribers = count;
      for (const listener of listeners) listener();
      await settle();
    },
    async pass(ms: number) {
      host.clock.advance(ms);
      await settle();
    },
    nothingWaits: () => !host.clock.advanceToNext(),
    async announce(event: MachineEvent) {
      announce?.(event);
      await settle();
    },
  };
}

test('nothing is followed or delayed without listeners, and no timer runs', () => {
  const { log, held, nothingWaits } = stage();
  expect([log, held(), nothingWaits()]).toEqual([[], 0, true]);
});

test('with a listener sleep and shutdown are delayed; a client that reconnects soon changes nothing', async () => {
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

test('before sleep listeners get a last update, then the delay is released', async () => {
  for (const event of ['sleep', 'shutdown'] as const) {
    const { come, announce, held, log, pass } = stage();
    await come(1);
    await announce(event);
    expect([log.at(-1), held()]).toEqual(['refresh 1500 with 1 held', 1]);
    await pass(250);
    expect(held()).toBe(0);
  }
});

test('after a resume everything is refreshed, and the next sleep is delayed again', async () => {
  const { come, announce, held, log, pass } = stage();
  await come(1);
  await announce('sleep');
  await pass(250);
  await announce('resume');
  expect(log).toContain('resumed');
  expect(log.at(-1)).toStartWith('refresh 5000');
  expect(held()).toBe(1);
});

test('after a cancelled shutdown the delay is acquired again, without a resume', async () => {
  const { come, announce, held, log, pass } = stage();
  await come(1);
  await announce('shutdown');
  await pass(250);
  await announce('shutdown-cancelled');
  expect([held(), log.includes('resumed')]).toEqual([1, false]);
});

test('after a restart of the bus the delay is acquired anew, before the old one is released', async () => {
  const { come, announce, held, taken } = stage();
  await come(1);
  await announce('reconnected');
  expect([held(), taken()]).toEqual([1, 2]);
});

test('a failed attempt is repeated at growing intervals while there are listeners', async () => {
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

test('without listeners it is not tried again', async () => {
  const { come, pass, log, nothingWaits } = stage({ refuse: 1 });
  await come(1);
  await come(0);
  await pass(60_000);
  expect([log, nothingWaits()]).toEqual([[], true]);
});

test('an order delays sleep for its response, also without listeners', async () => {
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

test('a listener that returns during the set-up finds it complete', async () => {
  const { watch, held, settle, pass, log } = stage();
  watch.want()();
  await settle();
  const gone = watch.want();
  await pass(20_000);
  expect([held(), log]).toEqual([1, ['follows']]);
  gone();
});

test('a set-up in progress is released on close', async () => {
  const { watch, held, settle, log } = stage();
  watch.want();
  watch.close();
  await settle();
  expect([held(), log]).toEqual([0, ['follows', 'stops']]);
});

test('closing releases everything', async () => {
  const { watch, come, held, log, nothingWaits } = stage();
  await come(1);
  watch.close();
  await come(2);
  expect([held(), log, nothingWaits()]).toEqual([0, ['follows', 'stops'], true]);
});
