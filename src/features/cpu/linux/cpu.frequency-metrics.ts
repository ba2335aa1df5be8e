import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';

const directory = '/sys/devices/system/cpu/cpufreq';

const limits = [
  ['scaling_min_freq', 'node_cpu_scaling_frequency_min_hertz', 'Lowest frequency that is allowed now'],
  ['scaling_max_freq', 'node_cpu_scaling_frequency_max_hertz', 'Highest frequency that is allowed now'],
  ['cpuinfo_min_freq', 'node_cpu_frequency_min_hertz', 'Lowest frequency that the processor can run at'],
  ['cpuinfo_max_freq', 'node_cpu_frequency_max_hertz', 'Highest frequency that the processor can run at'],
] as const;

/** Frequency limits of each core; cores that share a clock share a policy. The current frequency is in the payload. */
export function frequencyLimits(files: Files): Metric[] {
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
