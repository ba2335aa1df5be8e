import type { PersistentFile } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { CpuFrequency } from '../cpu.schema.ts';

/** Cores that change their frequency together. https://docs.kernel.org/admin-guide/pm/cpufreq.html */
export interface Policy {
  directory: string;
  cores: number[];
  current: PersistentFile;
  frequency: CpuFrequency;
}

const directory = '/sys/devices/system/cpu/cpufreq';

/** Adds new ones. `known`: the frequencies so far, by core. */
export function* addPolicies(
  policies: Policy[],
  files: LinuxHost['files'],
  known: ReadonlyMap<number, CpuFrequency>,
): Generator<void, void> {
  const before = new Set(policies.map((policy) => policy.directory));
  for (const name of files.list(directory)) {
    const policy = `${directory}/${name}`;
    if (!name.startsWith('policy') || before.has(policy)) continue;
    const cores = coresOf(files, policy);
    policies.push({
      directory: policy,
      cores,
      current: files.keep(`${policy}/scaling_cur_freq`),
      frequency: { current: known.get(cores[0] ?? 0)?.current ?? null, ...readLimits(files, policy) },
    });
    yield;
  }
}

/** Online cores only. */
export function coresOf(files: LinuxHost['files'], policy: string): number[] {
  return (files.text(`${policy}/affected_cpus`) ?? '').split(/\s+/).filter(Boolean).map(Number);
}

export function readLimits(files: LinuxHost['files'], policy: string): Pick<CpuFrequency, 'min' | 'max'> {
  const limit = (which: string) => {
    const text = files.text(`${policy}/scaling_${which}_freq`) ?? files.text(`${policy}/cpuinfo_${which}_freq`);
    return toMegahertz(Number.parseInt(text ?? '', 10));
  };
  return { min: limit('min'), max: limit('max') };
}

/** A read that takes longer has slept. */
const slowMs = 3;

/** x86 kernels before 5.18 sleep 10 ms in every such read; reads then run in the background. */
export function createCurrentReader({
  files,
  clock,
}: Pick<LinuxHost, 'files' | 'clock'>): (policies: Policy[]) => void {
  let slow = false;
  let busy = false;

  const readInBackground = async (policies: Policy[]) => {
    busy = true;
    let longest = 0;
    for (const policy of policies) {
      const from = clock.monotonic();
      const text = await files.textLater(`${policy.directory}/scaling_cur_freq`);
      policy.frequency.current = toMegahertz(Number.parseInt(text ?? '', 10));
      longest = Math.max(longest, clock.monotonic() - from);
    }
    slow = longest >= slowMs;
    busy = false;
  };

  return (policies) => {
    if (busy) return;
    if (slow) return void readInBackground(policies);
    for (const policy of policies) {
      const from = clock.monotonic();
      policy.frequency.current = toMegahertz(policy.current.number());
      slow = clock.monotonic() - from >= slowMs;
      if (slow) return;
    }
  };
}

const toMegahertz = (kilohertz: number | null) =>
  kilohertz === null || Number.isNaN(kilohertz) ? null : kilohertz / 1000;
