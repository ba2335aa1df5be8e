import type { BusyProcess } from '../core/readings/history.ts';

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

type Key = (process: BusyProcess) => string;

const byProcess: Key = ({ pid, name }) => `${pid} ${name}`;
/** The processes of one name are one. */
export const byProgram: Key = ({ name }) => name;

/** `Now`: the sum of the processes of one moment. */
const unused = { cpuMs: 0, mostCpu: 0, memory: 0, moment: null as BusyMoment | null, cpuNow: 0, memoryNow: 0 };

export function sumUse(moments: readonly BusyMoment[], keyOf = byProcess): Use[] {
  const uses = new Map<string, BusyProcess & typeof unused>();
  for (const moment of moments)
    for (const process of moment.busiest) {
      const key = keyOf(process);
      const known = uses.get(key) ?? { ...process, ...unused };
      const isSame = known.moment === moment;
      known.moment = moment;
      known.cpuNow = process.cpu + (isSame ? known.cpuNow : 0);
      known.memoryNow = process.memory + (isSame ? known.memoryNow : 0);
      known.cpuMs += (process.cpu * moment.ms) / 100;
      known.mostCpu = Math.max(known.mostCpu, known.cpuNow);
      known.memory = Math.max(known.memory, known.memoryNow);
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
