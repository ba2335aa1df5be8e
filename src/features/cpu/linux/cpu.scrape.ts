import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { numberAfter, numberIn } from '../../../host/linux/proc/text-fields.ts';

/** Metrics of Linux beyond the payload, which has what all systems report. */
export function cpuMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  const [load1, load5, load15] = (files.text('/proc/loadavg') ?? '').split(' ').map(numberIn);
  return [
    ...statMetrics(files.text('/proc/stat') ?? ''),
    gauge('node_load1', 'Processes running or waiting to run, averaged over the last minute', load1),
    gauge('node_load5', 'Processes running or waiting to run, averaged over five minutes', load5),
    gauge('node_load15', 'Processes running or waiting to run, averaged over 15 minutes', load15),
    ...pressureMetrics((resource) => files.text(`/proc/pressure/${resource}`)),
    ...schedulerMetrics(files.text('/proc/schedstat') ?? ''),
    ...frequencyLimits(files),
  ];
}

/** The last three columns of each core: nanoseconds that threads ran and waited, and timeslices. https://docs.kernel.org/scheduler/sched-stats.html */
function schedulerMetrics(schedstat: string): Metric[] {
  const cores = schedstat.split('\n').flatMap((line) => {
    const [, cpu, columns] = /^cpu(\d+) (.*)$/.exec(line) ?? [];
    return cpu === undefined || columns === undefined ? [] : [{ cpu, columns: columns.split(' ').map(Number) }];
  });
  const each = (column: number, unit: number) =>
    cores.map(({ cpu, columns }) => [{ cpu }, (columns[column] ?? 0) / unit] as const);
  return [
    counter('node_schedstat_running_seconds', 'Seconds threads ran on each core', each(6, 1e9)),
    counter('node_schedstat_waiting_seconds', 'Seconds threads waited for each core', each(7, 1e9)),
    counter('node_schedstat_timeslices', 'Timeslices run on each core', each(8, 1)),
  ];
}

const directory = '/sys/devices/system/cpu/cpufreq';

const limits = [
  ['scaling_min_freq', 'node_cpu_scaling_frequency_min_hertz', 'Lowest frequency that is allowed now'],
  ['scaling_max_freq', 'node_cpu_scaling_frequency_max_hertz', 'Highest frequency that is allowed now'],
  ['cpuinfo_min_freq', 'node_cpu_frequency_min_hertz', 'Lowest frequency that the processor can run at'],
  ['cpuinfo_max_freq', 'node_cpu_frequency_max_hertz', 'Highest frequency that the processor can run at'],
] as const;

/** Frequency limits of each core; cores that share a clock share a policy. The current frequency is in the payload. */
function frequencyLimits(files: Files): Metric[] {
  const policies = files
    .list(directory)
    .filter((name) => /^policy\d+$/.test(name))
    .map((name) => ({
      place: `${directory}/${name}`,
      cores: (files.text(`${directory}/${name}/affected_cpus`) ?? '').trim().split(/\s+/),
    }));
  if (policies.length === 0) return [];
  return limits.map(([file, name, help]) =>
    gauge(
      name,
      help,
      policies.flatMap(({ place, cores }) => {
        const kilohertz = numberIn(files.text(`${place}/${file}`));
        return cores.map((cpu) => [{ cpu }, kilohertz === null ? null : kilohertz * 1000] as const);
      }),
    ),
  );
}

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
function pressureMetrics(read: (resource: string) => string | null): Metric[] {
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

type Values = [Record<string, string>, number][];

/** In the order of the columns. Guest time is included in user and nice. */
const modes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
const guestModes = ['user', 'nice'];
/** USER_HZ: hundredths of a second on every supported architecture. */
const ticksPerSecond = 100;

/** Metrics of /proc/stat that the payload does not have. */
function statMetrics(text: string): Metric[] {
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
