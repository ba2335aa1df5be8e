import { SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import { readStructs } from '../../host/windows/native/structs.ts';
import type { CpuTimes } from './cpu.schema.ts';

/** In units of 100 ns since boot. */
export interface ProcessorTicks {
  user: number;
  /** Kernel time without idle, DPC and interrupt time. */
  system: number;
  idle: number;
  interrupt: number;
  dpc: number;
  /** A count. */
  interrupts: number;
}

export const parseProcessors = (bytes: Uint8Array): ProcessorTicks[] =>
  readStructs(SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION, bytes).map((entry) => {
    // Documented as reserved: DpcTime, InterruptTime and InterruptCount.
    const { 'Reserved1[0]': dpc, 'Reserved1[1]': interrupt, Reserved2: interrupts } = entry;
    const system = Math.max(0, entry.KernelTime - entry.IdleTime - dpc - interrupt);
    return { user: entry.UserTime, system, idle: entry.IdleTime, interrupt, dpc, interrupts };
  });

export function sumOfProcessors(processors: ProcessorTicks[]): ProcessorTicks {
  const sum = { user: 0, system: 0, idle: 0, interrupt: 0, dpc: 0, interrupts: 0 };
  for (const ticks of processors)
    for (const key of Object.keys(sum) as (keyof ProcessorTicks)[]) sum[key] += ticks[key];
  return sum;
}

const kinds = ['user', 'system', 'idle', 'interrupt', 'dpc'] as const;

export const secondsOf = (ticks: ProcessorTicks): CpuTimes => mapKinds((kind) => ticks[kind] / 1e7);

export function processorSharesBetween(
  before: ProcessorTicks,
  after: ProcessorTicks,
): { usage: number; shares: CpuTimes } {
  const spent = mapKinds((kind) => Math.max(0, after[kind] - before[kind]));
  const total = kinds.reduce((sum, kind) => sum + spent[kind], 0);
  const percent = (part: number) => (total === 0 ? 0 : Math.round((1000 * part) / total) / 10);
  return { usage: percent(total - spent.idle), shares: mapKinds((kind) => percent(spent[kind])) };
}

function mapKinds<T>(value: (kind: (typeof kinds)[number]) => T): Record<(typeof kinds)[number], T> {
  return {
    user: value('user'),
    system: value('system'),
    idle: value('idle'),
    interrupt: value('interrupt'),
    dpc: value('dpc'),
  };
}
