import type { BusyProcess } from '../core/readings/history.ts';

/** Processes of each kind. */
export const busiestCount = 5;

/** The processes with most CPU time and those with most memory. */
export function busiestOf<T extends BusyProcess>(all: readonly T[]): T[] {
  const byCpu = all
    .filter(({ cpu }) => cpu > 0)
    .toSorted((a, b) => b.cpu - a.cpu)
    .slice(0, busiestCount);
  const byMemory = all.toSorted((a, b) => b.memory - a.memory).slice(0, busiestCount);
  return [...new Set([...byCpu, ...byMemory])];
}

/** Resource use of a process over some time. */
export interface Use extends BusyProcess {
  /** Milliseconds of processor time. */
  cpuMs: number;
  mostCpu: number;
}

/** A sample of the processes and the milliseconds it covers. */
export interface BusyMoment {
  busiest: readonly BusyProcess[];
  ms: number;
}

export function sumUse(moments: readonly BusyMoment[]): Use[] {
  const uses = new Map<string, Use>();
  for (const { busiest, ms } of moments)
    for (const process of busiest) {
      const key = `${process.pid} ${process.name}`;
      const known = uses.get(key) ?? { ...process, cpuMs: 0, mostCpu: 0, memory: 0 };
      known.cpuMs += (process.cpu * ms) / 100;
      known.mostCpu = Math.max(known.mostCpu, process.cpu);
      known.memory = Math.max(known.memory, process.memory);
      uses.set(key, known);
    }
  return [...uses.values()];
}

/** Stored form: pid, name, CPU, memory, and so on. */
export type ProcessRows = (number | string)[];

export const toRows = (busiest: readonly BusyProcess[]): ProcessRows =>
  busiest.flatMap(({ pid, name, cpu, memory }) => [pid, name, Number(cpu.toPrecision(3)), memory]);

export function parseRows(rows: ProcessRows): BusyProcess[] {
  return Array.from({ length: Math.floor(rows.length / 4) }, (_, index) => {
    const [pid, name, cpu, memory] = rows.slice(index * 4);
    return { pid: Number(pid), name: String(name), cpu: Number(cpu), memory: Number(memory) };
  });
}

export const fromRows = (text: string) => parseRows(JSON.parse(text));
