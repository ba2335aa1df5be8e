import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { kernelUnitsOf } from '../../../host/linux/proc/auxv.ts';
import { numberAfter } from '../../../host/linux/proc/text-fields.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';

/** This process, with the standard metric names of Prometheus clients. */
export function processesMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  const stat = files.text('/proc/self/stat');
  if (stat === null) return [];
  const { ticksPerSecond } = kernelUnitsOf(files);
  // The name in parentheses may contain anything; the fields follow it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (field: number) => Number(fields[field]) / ticksPerSecond;
  const status = files.text('/proc/self/status') ?? '';
  const { maxFiles, maxAddressSpace, boot } = fixedOf(files);
  const threads = /\/(\d+) /.exec(files.text('/proc/loadavg') ?? '')?.[1];
  return [
    gauge('node_processes_threads', 'Threads of all processes', threads === undefined ? null : Number(threads)),
    counter('process_cpu_seconds', 'CPU time that this service has used', seconds(11) + seconds(12)),
    gauge('process_open_fds', 'Files that this service has open', files.entries('/proc/self/fd').length),
    gauge('process_max_fds', 'Files that it can have open at most', maxFiles),
    gauge('process_resident_memory_bytes', 'Memory of this service that is in RAM', kilobytes(status, '\nVmRSS:')),
    gauge('process_virtual_memory_bytes', 'Address space of this service', kilobytes(status, '\nVmSize:')),
    gauge('process_virtual_memory_max_bytes', 'Address space that it can have at most', maxAddressSpace),
    gauge(
      'process_start_time_seconds',
      'When this service started, Unix time',
      boot === null ? null : boot + seconds(19),
    ),
  ];
}

/** Limits are set when a process starts and rarely change. */
const fixedOf = keptFor((files: Files) => {
  const limits = files.text('/proc/self/limits') ?? '';
  return {
    maxFiles: limitOf(limits, 'Max open files'),
    maxAddressSpace: limitOf(limits, 'Max address space'),
    boot: numberAfter(files.text('/proc/stat') ?? '', '\nbtime '),
  };
});

const kilobytes = (status: string, key: string) => {
  const value = numberAfter(status, key);
  return value === null ? null : value * 1024;
};

/** The soft limit is the first column. */
function limitOf(limits: string, name: string): number | null {
  const at = limits.indexOf(name);
  const [soft = ''] =
    at === -1
      ? []
      : limits
          .slice(at + name.length, at + name.length + 40)
          .trim()
          .split(/\s+/);
  // As in the clients of other languages.
  return soft === 'unlimited' ? 2 ** 64 : soft === '' ? null : Number(soft);
}
