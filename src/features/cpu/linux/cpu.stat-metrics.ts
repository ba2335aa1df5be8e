import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import { numberAfter } from '../../../host/linux/proc/text-fields.ts';

type Values = [Record<string, string>, number][];

/** In the order of the columns. Guest time is included in user and nice. */
const modes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
const guestModes = ['user', 'nice'];
/** USER_HZ: hundredths of a second on every supported architecture. */
const ticksPerSecond = 100;

/** Metrics of /proc/stat that the payload does not have. */
export function statMetrics(text: string): Metric[] {
  const times: Values = [];
  const guests: Values = [];
  for (const line of coreLines(text)) {
    const [name = '', ...columns] = line.split(' ');
    const cpu = name.slice('cpu'.length);
    const seconds = (column: number) => Number(columns[column] ?? 0) / ticksPerSecond;
    for (const [column, mode] of modes.entries()) times.push([{ cpu, mode }, seconds(column)]);
    for (const [column, mode] of guestModes.entries()) guests.push([{ cpu, mode }, seconds(modes.length + column)]);
  }
  return [
    counter('node_cpu_seconds', 'Seconds each core spent in each mode', times),
    counter('node_cpu_guest_seconds', 'Seconds each core spent running virtual machines', guests),
    counter('node_context_switches', 'Context switches', numberAfter(text, '\nctxt ')),
    counter('node_intr', 'Hardware interrupts', numberAfter(text, '\nintr ')),
    counter('node_forks', 'Processes and threads started', numberAfter(text, '\nprocesses ')),
    gauge('node_procs_running', 'Threads running or waiting to run', numberAfter(text, '\nprocs_running ')),
    gauge('node_procs_blocked', 'Threads waiting for a disk', numberAfter(text, '\nprocs_blocked ')),
  ];
}

/** The lines of the cores come first, after the total. */
function coreLines(text: string): string[] {
  const end = text.indexOf('\nintr ');
  const lines = text.slice(0, end === -1 ? undefined : end).split('\n');
  return lines.filter((line) => /^cpu\d/.test(line));
}
