import type { CpuTimes } from '../cpu.schema.ts';
import type { Ticks } from './cpu.stat.ts';

/** USER_HZ, the same on every supported architecture, independent of the kernel's tick. */
const ticksPerSecond = 100;

export const unknownTimes: CpuTimes = { user: null, system: null, idle: null, interrupt: null, dpc: null };

export function timesOf({ user, system, idle, irq }: Ticks): CpuTimes {
  return {
    user: user / ticksPerSecond,
    system: system / ticksPerSecond,
    idle: idle / ticksPerSecond,
    interrupt: irq / ticksPerSecond,
    dpc: null,
  };
}

export interface CpuShares {
  usage: number | null;
  times_percent: CpuTimes;
}

export const unknownShares: CpuShares = { usage: null, times_percent: unknownTimes };

export function sharesBetween(before: Ticks, after: Ticks): CpuShares {
  // Idle times occasionally decrease when a core wakes up during the read.
  const spent = (kind: keyof Ticks) => Math.max(0, after[kind] - before[kind]);
  const idle = spent('idle');
  const iowait = spent('iowait');
  const user = spent('user');
  const system = spent('system');
  const irq = spent('irq');
  const total = user + spent('nice') + system + idle + iowait + irq + spent('softirq') + spent('steal');
  const percent = (ticks: number) => (total === 0 ? 0 : Math.round((1000 * ticks) / total) / 10);
  return {
    usage: percent(total - idle - iowait),
    times_percent: {
      user: percent(user),
      system: percent(system),
      idle: percent(idle),
      interrupt: percent(irq),
      dpc: null,
    },
  };
}
