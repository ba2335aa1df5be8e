import type { Host } from '../../host/host.ts';
import { createCpuinfoFrequencies } from './cpu.frequency.cpuinfo.ts';
import { createCurrentReader, findPolicies, readLimits } from './cpu.frequency.policies.ts';
import type { CpuFrequency } from './cpu.schema.ts';

/** Frequencies of the cores, by id; those of whom nothing is known are left out. */
export interface Frequencies {
  read(): ReadonlyMap<number, CpuFrequency>;
  /** After cores came or went. */
  refresh(): void;
  close(): void;
}

/** Limits change with the power profile, which is not often. */
const limitsAgeMs = 15_000;

/** From the governor; where there is none, what /proc/cpuinfo says. */
export function createFrequencies(host: Pick<Host, 'files' | 'clock'>): Frequencies {
  const { files, clock } = host;
  const cpuinfo = createCpuinfoFrequencies(host);
  const readCurrent = createCurrentReader(host);
  let policies = findPolicies(files, cpuinfo.read());
  let limitsAt = clock.monotonic();

  const byCore = () =>
    new Map(
      policies.flatMap(({ cores, frequency }) => cores.map((id): [number, CpuFrequency] => [id, { ...frequency }])),
    );
  const closePolicies = () => {
    for (const { current } of policies) current.close();
  };

  return {
    read() {
      if (policies.length === 0) return cpuinfo.read();
      if (clock.monotonic() - limitsAt >= limitsAgeMs) {
        for (const policy of policies) Object.assign(policy.frequency, readLimits(files, policy.directory));
        limitsAt = clock.monotonic();
      }
      readCurrent(policies);
      return byCore();
    },
    refresh() {
      closePolicies();
      policies = findPolicies(files, byCore());
    },
    close() {
      closePolicies();
      cpuinfo.close();
    },
  };
}

/** Of all cores: their mean, the lowest and the highest limit. */
export function overallFrequency(frequencies: Iterable<CpuFrequency>): CpuFrequency {
  let sum = 0;
  let count = 0;
  let min: number | null = null;
  let max: number | null = null;
  for (const frequency of frequencies) {
    if (frequency.current !== null) {
      sum += frequency.current;
      count += 1;
    }
    if (frequency.min !== null) min = Math.min(min ?? frequency.min, frequency.min);
    if (frequency.max !== null) max = Math.max(max ?? frequency.max, frequency.max);
  }
  return { current: count === 0 ? null : Math.round((1000 * sum) / count) / 1000, min, max };
}
