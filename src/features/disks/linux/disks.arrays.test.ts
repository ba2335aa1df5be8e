import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { setPart } from '../../../core/part.ts';
import { collectReasons } from '../../../core/reasons.ts';
import { createArrays, followArrays } from './disks.arrays.ts';
import type { DiskLayout } from './disks.layout.ts';

const mirror = {
  'proc/mdstat': 'Personalities : [raid1]\n',
  'sys/block/md0/md/array_state': 'clean\n',
  'sys/block/md0/md/level': 'raid1\n',
  'sys/block/md0/md/raid_disks': '2\n',
  'sys/block/md0/md/degraded': '0\n',
};

function open(machine: Record<string, string>, follow?: (changed: () => void) => Promise<() => void>) {
  const files = machineFiles(machine);
  const logged: string[] = [];
  const log = { ...fakeContext().log, info: (text: string) => void logged.push(text) };
  const host = fakeHost({ files, clock: fakeClock() });
  if (follow !== undefined) setPart(host, followArrays, follow);
  const arrays = createArrays(host, { log });
  const layout = { names: ['sda', 'md0'] } as unknown as DiskLayout;
  return {
    files,
    logged,
    watch: arrays.watch,
    state: () => arrays.read(layout, collectReasons().reasons)[0]?.state ?? null,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an announced change is read again, and none is reported after the end', async () => {
  let announce = () => {};
  let ends = 0;
  const { files, state, watch } = open(mirror, async (changed) => {
    announce = changed;
    return () => {
      ends += 1;
    };
  });
  let changes = 0;
  expect(state()).toBe('ok');
  const stop = watch(() => {
    changes += 1;
  });
  await settled();
  expect(changes).toBe(0);
  files.write('sys/block/md0/md/degraded', '1\n');
  expect(state()).toBe('ok');
  announce();
  expect(changes).toBe(1);
  expect(state()).toBe('degraded');
  stop();
  expect(ends).toBe(1);
  announce();
  expect(changes).toBe(1);
});

test('a change before the subscription has started is reported', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const { files, state, watch } = open(mirror, () => promise);
  expect(state()).toBe('ok');
  let changes = 0;
  watch(() => {
    changes += 1;
  });
  files.write('sys/block/md0/md/degraded', '1\n');
  resolve(() => {});
  await settled();
  expect(changes).toBe(1);
  expect(state()).toBe('degraded');
});

test('stopping before the subscription has started ends it', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  let ends = 0;
  open(mirror, () => promise).watch(() => {})();
  resolve(() => {
    ends += 1;
  });
  await settled();
  expect(ends).toBe(1);
});

test('without md in the kernel nothing is followed', async () => {
  const { 'proc/mdstat': _, ...without } = mirror;
  const { watch, logged } = open(without);
  watch(() => {})();
  await settled();
  expect(logged).toEqual([]);
});

test('a table that cannot be followed is logged, and still read', async () => {
  const { watch, logged, state } = open(mirror, async () => {
    throw new Error('no descriptor');
  });
  watch(() => {});
  await settled();
  expect(logged).toEqual([expect.stringContaining('cannot follow /proc/mdstat')]);
  expect(state()).toBe('ok');
});
