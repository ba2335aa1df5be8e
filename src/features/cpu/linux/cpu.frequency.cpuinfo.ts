import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { CpuFrequency } from '../cpu.schema.ts';

/** The text is long, and where it is needed, mostly in virtual machines, the frequency never changes. */
const oldestMs = 5000;

export function createCpuinfoFrequencies({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>) {
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
