import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { atOnce } from '../../../lib/slices.ts';
import type { CpuFrequency } from '../cpu.schema.ts';
import { addPolicies, coresOf, createCurrentReader, type Policy, readLimits } from './cpu.frequency.policies.ts';

/** Frequencies of the cores, by id; unknown ones are left out. */
export interface Frequencies {
  read(): ReadonlyMap<number, CpuFrequency>;
  /** Called after cores came or went. */
  refresh(): void;
  close(): void;
}

/** From the governor, or from /proc/cpuinfo without one. */
export function* createFrequencies(host: Pick<LinuxHost, 'files' | 'clock'>): Generator<void, Frequencies> {
  const { files } = host;
  const cpuinfo = createCpuinfoFrequencies(host);
  const readCurrent = createCurrentReader(host);
  const policies: Policy[] = [];
  yield* addPolicies(policies, files, cpuinfo.read());
  const refreshLimits = createLimitsReader(files, policies);

  return {
    read() {
      if (policies.length === 0) return cpuinfo.read();
      refreshLimits();
      readCurrent(policies);
      return new Map(
        policies.flatMap(({ cores, frequency }) => cores.map((id): [number, CpuFrequency] => [id, { ...frequency }])),
      );
    },
    refresh() {
      for (const policy of policies) policy.cores = coresOf(files, policy.directory);
      atOnce(addPolicies(policies, files, new Map()));
    },
    close() {
      for (const { current } of policies) current.close();
      cpuinfo.close();
    },
  };
}

/** Limits change rarely, with the power profile: each is read once in this many reads. */
const readsForAllLimits = 15;

function createLimitsReader(files: LinuxHost['files'], policies: Policy[]): () => void {
  let due = 0;
  let next = 0;
  return () => {
    for (due += policies.length / readsForAllLimits; due >= 1; due -= 1) {
      const policy = policies[next % policies.length];
      if (policy !== undefined) Object.assign(policy.frequency, readLimits(files, policy.directory));
      next += 1;
    }
  };
}

/** Of all cores: the mean, the lowest and the highest limit. */
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

/** The text is long, and where it is needed, mostly in virtual machines, the frequency never changes. */
const oldestMs = 5000;

function createCpuinfoFrequencies({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>) {
  const cpuinfo = files.keep('/proc/cpuinfo');
  let known: { frequencies: Map<number, CpuFrequency>; at: number } | null = null;
  return {
    read(): ReadonlyMap<number, CpuFrequency> {
      const now = clock.monotonic();
      if (known === null || now - known.at >= oldestMs) {
        known = { frequencies: parseCpuinfoFrequencies(cpuinfo.text() ?? ''), at: now };
      }
      return known.frequencies;
    },
    close: () => cpuinfo.close(),
  };
}

export function parseCpuinfoFrequencies(cpuinfo: string): Map<number, CpuFrequency> {
  const frequencies = new Map<number, CpuFrequency>();
  for (const core of cpuinfo.split('\n\n')) {
    const id = /^processor\s*:\s*(\d+)/m.exec(core)?.[1];
    // x86, s390 and others, Power.
    const mhz = /^(?:cpu MHz|cpu MHz dynamic|CPU MHz|clock)\s*:\s*([\d.]+)/m.exec(core)?.[1];
    if (id === undefined || mhz === undefined) continue;
    frequencies.set(Number(id), { current: Number.parseFloat(mhz), min: null, max: null });
  }
  return frequencies;
}
