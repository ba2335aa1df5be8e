import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { cpuLinux } from '../../../src/features/cpu/cpu.linux.ts';
import type { Cpu } from '../../../src/features/cpu/cpu.schema.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { sleep } from '../../../src/lib/clock.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { collectReasons } from '../../harness/machines.ts';
import { hasPsutil, type Psutil, startLoad, startPsutil } from '../harness/psutil.ts';

const patienceMs = 180_000;

interface Counted {
  times: Record<string, number>;
  cores: Record<string, number>[];
  stats: Record<string, number>;
  percent: number;
  corePercent: number[];
  shares: Record<string, number>;
  coreShares: Record<string, number>[];
  count: number;
  load: number;
}

const everything =
  'dict(times=psutil.cpu_times(), cores=psutil.cpu_times(percpu=True), stats=psutil.cpu_stats(), percent=psutil.cpu_percent(), ' +
  'corePercent=psutil.cpu_percent(percpu=True), shares=psutil.cpu_times_percent(), coreShares=psutil.cpu_times_percent(percpu=True), ' +
  'count=psutil.cpu_count(), load=psutil.getloadavg()[0])';

describe.skipIf(!hasPsutil())('cpu beside psutil', () => {
  let psutil: Psutil;
  const host = createLinuxHost('6.0.0', startThread);
  const { clock } = host;
  const source = cpuLinux(host, fakeContext());
  const read = async (): Promise<Cpu> => {
    const payload = await source.read(collectReasons().reasons);
    if (payload === null) throw new Error('there is no cpu');
    return payload;
  };

  beforeAll(() => {
    psutil = startPsutil();
  });
  afterAll(() => {
    psutil.stop();
    source.close?.();
    host.close();
  });

  test(
    'counters lie between two psutil readings taken before and after',
    async () => {
      const before = await psutil.ask<Counted>(everything);
      const ours = await read();
      const after = await psutil.ask<Counted>(everything);
      const within = (what: string, low: number | undefined, value: number | null, high: number | undefined) => {
        // Idle times can go back by a tick or two.
        const slack = what.includes('idle') ? 0.05 : 0;
        expect({ what, at: value }).toEqual({ what, at: expect.any(Number) });
        expect((value ?? 0) + slack).toBeGreaterThanOrEqual(low ?? 0);
        expect((value ?? 0) - slack).toBeLessThanOrEqual(high ?? 0);
      };
      for (const kind of ['user', 'system', 'idle'] as const) {
        within(kind, before.times[kind], ours.times[kind], after.times[kind]);
        for (const [index, core] of ours.per_cpu.entries())
          within(`${kind} of ${core.id}`, before.cores[index]?.[kind], core.times[kind], after.cores[index]?.[kind]);
      }
      within('interrupt', before.times.irq, ours.times.interrupt, after.times.irq);
      for (const kind of ['ctx_switches', 'interrupts', 'soft_interrupts'] as const)
        within(kind, before.stats[kind], ours.stats[kind], after.stats[kind]);
      expect(ours.count).toBe(before.count);
      const closest = Math.min(...[before, after].map(({ load }) => Math.abs(load - (ours.load_average ?? -1))));
      expect(closest).toBeLessThan(0.02);
    },
    patienceMs,
  );

  test(
    'usage follows a load that starts and stops, as psutil sees it',
    async () => {
      const look = async () => {
        const from = clock.monotonic();
        const theirs = await psutil.ask<Counted>(everything);
        const ours = await read();
        return { ours, theirs, skew: clock.monotonic() - from };
      };
      const tolerance = 12;
      const isNear = (ours: number | null, theirs = -100) => Math.abs((ours ?? -100) - theirs) < tolerance;
      const isSpentAlike = (ours: Cpu['times_percent'], theirs: Record<string, number>) =>
        (['user', 'system', 'idle'] as const).every((kind) => isNear(ours[kind], theirs[kind])) &&
        isNear(ours.interrupt, theirs.irq);
      const agree = ({ ours, theirs }: { ours: Cpu; theirs: Counted }) =>
        isNear(ours.usage, theirs.percent) &&
        isSpentAlike(ours.times_percent, theirs.shares) &&
        ours.per_cpu.every(
          ({ usage, times_percent }, index) =>
            isNear(usage, theirs.corePercent[index]) && isSpentAlike(times_percent, theirs.coreShares[index] ?? {}),
        );
      /** Over an interval whose ends both saw at nearly the same moment; on a busy machine that takes a few attempts. */
      const measure = async (busy: number) => {
        for (let attempt = 0; attempt < 12; attempt += 1) {
          const first = await look();
          const loads = Array.from({ length: busy }, startLoad);
          await sleep(clock, 1500);
          for (const load of loads) load.stop();
          const last = await look();
          if (Math.max(first.skew, last.skew) < 150 && agree(last)) return last.ours;
        }
        throw new Error('psutil and we never saw the same');
      };
      const levels: number[] = [];
      await read();
      for (const busy of [0, 1, 2, 0]) {
        levels.push((await measure(busy)).usage ?? 0);
      }
      const [idle = 0, , loaded = 0] = levels;
      // On a busy machine there is no capacity left to add.
      expect(loaded > idle || idle > 90).toBe(true);
    },
    patienceMs,
  );
});
