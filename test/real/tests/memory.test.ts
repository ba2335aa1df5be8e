import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { memoryLinux } from '../../../src/features/memory/memory.linux.ts';
import type { Memory } from '../../../src/features/memory/memory.schema.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { sleep } from '../../../src/lib/clock.ts';
import { collectReasons } from '../../harness/machines.ts';
import { hasPsutil, type Psutil, startPsutil } from '../harness/psutil.ts';

const patienceMs = 120_000;
const megabyte = 1_000_000;

interface Theirs {
  virtual: Record<string, number>;
  swap: Record<string, number>;
}

const everything = 'dict(virtual=psutil.virtual_memory(), swap=psutil.swap_memory())';
const virtualFields = ['total', 'available', 'free', 'active', 'inactive', 'buffers', 'cached', 'shared'] as const;
const swapFields = ['total', 'used', 'free', 'sin', 'sout'] as const;

describe.skipIf(!hasPsutil())('memory beside psutil', () => {
  const host = createLinuxHost('6.0.0', startThread);
  const source = memoryLinux(host);
  let psutil: Psutil;
  let holder: Psutil;

  beforeAll(() => {
    psutil = startPsutil();
    holder = startPsutil();
  });
  afterAll(async () => {
    psutil.stop();
    holder.stop();
    source.close?.();
    await host.close();
  });

  const read = async (): Promise<Memory> => {
    const payload = await source.read(collectReasons().reasons);
    if (payload === null) throw new Error('there is no memory');
    return payload;
  };

  /** Fields outside of the psutil readings before and after. */
  const differing = async (): Promise<{ ours: Memory; fields: string[] }> => {
    const before = await psutil.ask<Theirs>(everything);
    const ours = await read();
    const after = await psutil.ask<Theirs>(everything);
    const isOff = (value: number | null, one = Number.NaN, other = Number.NaN, slack = 2 * megabyte) =>
      value === null || !(value >= Math.min(one, other) - slack && value <= Math.max(one, other) + slack);
    const fields = [
      ...virtualFields.filter((key) => isOff(ours.virtual[key], before.virtual[key], after.virtual[key])),
      ...swapFields.filter((key) => isOff(ours.swap[key], before.swap[key], after.swap[key])),
      ...(isOff(ours.virtual.percent, before.virtual.percent, after.virtual.percent, 0.2) ? ['percent'] : []),
      ...(isOff(ours.swap.percent, before.swap.percent, after.swap.percent, 0.2) ? ['swap percent'] : []),
    ];
    return { ours, fields };
  };

  test(
    'every field matches psutil, while memory is allocated and freed',
    async () => {
      /** Other processes allocate and free as well, so it may need a few readings. */
      const agreed = async (): Promise<Memory> => {
        let last: string[] = [];
        for (let attempt = 0; attempt < 50; attempt += 1) {
          const { ours, fields } = await differing();
          if (fields.length === 0) return ours;
          last = fields;
          await sleep(host.clock, 100);
        }
        throw new Error(`psutil and we never agreed on ${last.join(', ')}`);
      };
      const hold = (megabytes: number) =>
        holder.ask(`len(globals().update(held=b"1" * ${megabytes * megabyte}) or "")`);
      const taken: number[] = [];
      for (const megabytes of [0, 300, 0]) {
        await hold(megabytes);
        const { virtual } = await agreed();
        expect(virtual.used).toBe((virtual.total ?? 0) - (virtual.available ?? 0));
        taken.push(virtual.used ?? Number.NaN);
      }
      const [first = 0, second = 0, third = 0] = taken;
      expect(Math.max(second - first, second - third)).toBeGreaterThan(100 * megabyte);
    },
    patienceMs,
  );
});
