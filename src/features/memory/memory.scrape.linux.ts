import { gauge, type Metric, untyped } from '../../core/readings/metrics.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';

/** All memory counters of the kernel, under its own names. */
export function memoryMetricsLinux({ files }: Pick<LinuxHost, 'files'>): Metric[] {
  return [...meminfoMetrics(files.text('/proc/meminfo') ?? ''), ...vmstatMetrics(files.text('/proc/vmstat') ?? '')];
}

/** `Active(anon):   1234 kB`; a value without a unit is a number of pages. */
export function meminfoMetrics(text: string): Metric[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const value = Number.parseInt(line.slice(colon + 1), 10);
    if (colon === -1 || Number.isNaN(value)) return [];
    const key = line.slice(0, colon);
    const name = `node_memory_${key.endsWith(')') ? key.slice(0, -1).replace('(', '_') : key}`;
    const help = `${key} in /proc/meminfo`;
    return line.endsWith(' kB') ? [gauge(`${name}_bytes`, help, value * 1024)] : [gauge(name, help, value)];
  });
}

/** Of some 150 counters those that indicate trouble: paging, swapping, faults, and processes killed for lack of memory. */
const wanted = /^(oom_kill|pgpg\w*|pswp\w*|pg\w*fault\w*) (\d+)$/gm;

export function vmstatMetrics(text: string): Metric[] {
  return [...text.matchAll(wanted)].map(([, name = '', value]) =>
    untyped(`node_vmstat_${name}`, `${name} in /proc/vmstat`, Number(value)),
  );
}
