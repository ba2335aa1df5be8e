import type { KeptFile } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { CpuFrequency } from './cpu.schema.ts';

/** Frequencies of the cores, by id; those of whom nothing is known are left out. */
export interface Frequencies {
  read(): ReadonlyMap<number, CpuFrequency>;
  /** After cores came or went. */
  refresh(): void;
  close(): void;
}

export const unknownFrequency: CpuFrequency = { current: null, min: null, max: null };

/** https://docs.kernel.org/admin-guide/pm/cpufreq.html; where there is none, what /proc/cpuinfo says. */
export function createFrequencies({ files, clock }: Pick<Host, 'files' | 'clock'>): Frequencies {
  let policies = findPolicies(files);
  let limitsAt = clock.monotonic();
  let next = 0;
  const cpuinfo = createCpuinfoFrequencies({ files, clock });

  /** In turn, and no longer than a little: kernels before 5.18 sleep 10 ms for each on x86. */
  const readCurrent = () => {
    const until = clock.monotonic() + patienceMs;
    for (let count = 0; count < policies.length; count += 1) {
      const policy = policies[next % policies.length];
      next += 1;
      if (policy !== undefined) readPolicy(policy);
      if (clock.monotonic() >= until) return;
    }
  };

  const closePolicies = () => {
    for (const { current, measured } of policies) for (const file of [current, measured]) file.close();
  };

  return {
    read() {
      if (policies.length === 0) return cpuinfo.read();
      if (clock.monotonic() - limitsAt > limitsAgeMs) {
        for (const policy of policies) Object.assign(policy.frequency, readLimits(files, policy.directory));
        limitsAt = clock.monotonic();
      }
      readCurrent();
      return new Map(
        policies.flatMap(({ cores, frequency }) => cores.map((id): [number, CpuFrequency] => [id, { ...frequency }])),
      );
    },
    refresh() {
      closePolicies();
      policies = findPolicies(files);
    },
    close() {
      closePolicies();
      cpuinfo.close();
    },
  };
}

const patienceMs = 3;
/** Limits change with the power profile. */
const limitsAgeMs = 15_000;
const directory = '/sys/devices/system/cpu/cpufreq';

interface Policy {
  directory: string;
  cores: number[];
  current: KeptFile;
  /** What old drivers have instead. */
  measured: KeptFile;
  frequency: CpuFrequency;
}

function findPolicies(files: Host['files']): Policy[] {
  return files
    .list(directory)
    .filter((name) => name.startsWith('policy'))
    .map((name) => {
      const policy = `${directory}/${name}`;
      return {
        directory: policy,
        cores: (files.text(`${policy}/affected_cpus`) ?? '').split(/\s+/).filter(Boolean).map(Number),
        current: files.keep(`${policy}/scaling_cur_freq`),
        measured: files.keep(`${policy}/cpuinfo_cur_freq`),
        frequency: { current: null, ...readLimits(files, policy) },
      };
    });
}

function readPolicy({ current, measured, frequency }: Policy): void {
  frequency.current = megahertz(current.number() ?? measured.number());
}

function readLimits(files: Host['files'], policy: string): Pick<CpuFrequency, 'min' | 'max'> {
  const kilohertz = (name: string) => {
    const value = Number.parseInt(files.text(`${policy}/${name}`) ?? '', 10);
    return Number.isNaN(value) ? null : value;
  };
  return {
    min: megahertz(kilohertz('scaling_min_freq') ?? kilohertz('cpuinfo_min_freq')),
    max: megahertz(kilohertz('scaling_max_freq') ?? kilohertz('cpuinfo_max_freq')),
  };
}

const megahertz = (kilohertz: number | null) => (kilohertz === null ? null : kilohertz / 1000);

/** The text is long and seldom changes where it is needed, which is mostly in virtual machines. */
const cpuinfoAgeMs = 5000;

function createCpuinfoFrequencies({ files, clock }: Pick<Host, 'files' | 'clock'>) {
  const cpuinfo = files.keep('/proc/cpuinfo');
  let known: { frequencies: Map<number, CpuFrequency>; at: number } | null = null;
  return {
    read() {
      const now = clock.monotonic();
      if (known === null || now - known.at >= cpuinfoAgeMs) {
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
    const mhz = /^(?:cpu MHz(?: dynamic)?|CPU MHz|clock)\s*:\s*([\d.]+)/m.exec(core)?.[1];
    if (id === undefined || mhz === undefined) continue;
    frequencies.set(Number(id), { current: Number.parseFloat(mhz), min: null, max: null });
  }
  return frequencies;
}
