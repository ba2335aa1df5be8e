import type { ComparedSeries } from '../../state/compared-series.ts';
import { celsius, percent, rate } from '../../units.ts';

/** From these means on, programs wait noticeably. Pressure is the share of the time in which at least one program waited. */
const limits = { cpu: 80, program: 25, memory: 90, swap: 50, waiting: 20, memoryWaiting: 5, hot: 95 };

interface UsedProgram {
  name: string;
  /** Processes. */
  count: number;
  /** 100 is one core. */
  cpu: number;
}

/** Why the machine was slow, as sentences; empty: nothing was overloaded. `programs`: the busiest of that time. */
export function findingsOf(series: readonly ComparedSeries[], programs: readonly UsedProgram[]): string[] {
  const of = (name: string) => series.find((each) => each.name === name);
  const mean = (name: string) => of(name)?.mean ?? 0;
  const usual = (name: string) => {
    const before = of(name)?.before ?? null;
    return before === null ? '' : `, usually ${percent(before)}`;
  };
  const most = busiestOf(programs);
  const found: string[] = [];
  if (mean('cpu') >= limits.cpu) found.push(`The processor was ${percent(mean('cpu'))} busy${usual('cpu')}.${most}`);
  else if (mean('pressure.cpu') >= limits.waiting)
    found.push(`Programs waited for a processor ${percent(mean('pressure.cpu'))} of the time.${most}`);
  if (mean('pressure.memory') >= limits.memoryWaiting)
    found.push(`Memory was short: programs waited for it ${percent(mean('pressure.memory'))} of the time.`);
  else if (mean('memory') >= limits.memory) found.push(`Memory was ${percent(mean('memory'))} full${usual('memory')}.`);
  if (mean('swap') >= limits.swap) found.push(`Swap was ${percent(mean('swap'))} full${usual('swap')}.`);
  if (mean('pressure.io') >= limits.waiting)
    found.push(
      `Programs waited for disks ${percent(mean('pressure.io'))} of the time${usual('pressure.io')}; ${rate(mean('disk.read'))} were read and ${rate(mean('disk.written'))} written.`,
    );
  const heat = of('cpu.temperature')?.peak?.value ?? 0;
  if (heat >= limits.hot) found.push(`The processor reached ${celsius(heat)}, where it may slow itself down.`);
  return found;
}

/** The one that used most CPU time. */
function busiestOf([first]: readonly UsedProgram[]): string {
  if (first === undefined || first.cpu < limits.program) return '';
  const { name, count, cpu } = first;
  return ` ${name}${count === 1 ? '' : ` (${count} processes)`} used the most: ${percent(cpu)} of a core.`;
}
