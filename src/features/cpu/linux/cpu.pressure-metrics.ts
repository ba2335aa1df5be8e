import { counter, type Metric } from '../../../core/readings/metrics.ts';
import { numberAfter } from '../../../host/linux/proc/text-fields.ts';

/** Resources that threads wait for, and for some the time in which all threads were stalled. https://docs.kernel.org/accounting/psi.html */
const resources: { file: string; waiting: string | null; stalled: string | null }[] = [
  { file: 'cpu', waiting: 'Seconds some thread waited for a core', stalled: null },
  {
    file: 'io',
    waiting: 'Seconds some thread waited for a disk',
    stalled: 'Seconds every thread that could have run waited for a disk',
  },
  {
    file: 'memory',
    waiting: 'Seconds some thread waited for memory',
    stalled: 'Seconds every thread that could have run waited for memory',
  },
  { file: 'irq', waiting: null, stalled: 'Seconds in which interrupts blocked all threads' },
];

/** Kernels before 4.20, and those with psi=0, have none of these files. */
export function pressureMetrics(read: (resource: string) => string | null): Metric[] {
  const metrics: Metric[] = [];
  for (const { file, waiting, stalled } of resources) {
    const text = read(file);
    if (text === null) continue;
    if (waiting !== null) metrics.push(counter(`node_pressure_${file}_waiting_seconds`, waiting, total(text, 'some ')));
    if (stalled !== null) metrics.push(counter(`node_pressure_${file}_stalled_seconds`, stalled, total(text, 'full ')));
  }
  return metrics;
}

/** `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`, microseconds. */
function total(text: string, kind: string): number | null {
  const at = text.indexOf(kind);
  const microseconds = at === -1 ? null : numberAfter(text.slice(at), 'total=');
  return microseconds === null ? null : microseconds / 1e6;
}
