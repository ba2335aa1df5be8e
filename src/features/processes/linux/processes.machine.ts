import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type KernelUnits, parseKernelUnits } from '../../../host/linux/proc/auxv.ts';

/** What the numbers of processes refer to. */
export interface MachineNumbers extends KernelUnits {
  /** Unix seconds. */
  bootTime: number | null;
  memoryBytes: number | null;
  /** A time in clock ticks after boot, on our monotonic clock. */
  monotonicAt(ticks: number): number | null;
  /** Memory may be added, and the clock be set. */
  refresh(): void;
}

const refreshMs = 30_000;

export function createMachineNumbers({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>): MachineNumbers {
  /** When the machine booted, on our monotonic clock. */
  let bootAt: number | null = null;
  let refreshAt = Number.NEGATIVE_INFINITY;
  const numbers: MachineNumbers = {
    ...parseKernelUnits(files.bytes('/proc/self/auxv')),
    bootTime: null,
    memoryBytes: null,
    monotonicAt: (ticks) => (bootAt === null ? null : bootAt + (1000 * ticks) / numbers.ticksPerSecond),
    refresh() {
      if (clock.monotonic() < refreshAt) return;
      refreshAt = clock.monotonic() + refreshMs;
      const uptime = numberIn(files.text('/proc/uptime'), /^([\d.]+)/);
      bootAt = uptime === null ? null : clock.monotonic() - uptime * 1000;
      const boot = numberIn(files.text('/proc/stat'), /^btime (\d+)/m);
      // It wobbles by a second while the clock is being adjusted, and nobody was born anew by that.
      if (boot === null || numbers.bootTime === null || Math.abs(boot - numbers.bootTime) > 1) numbers.bootTime = boot;
      const kilobytes = numberIn(files.text('/proc/meminfo'), /^MemTotal: +(\d+) kB/m);
      numbers.memoryBytes = kilobytes === null ? null : kilobytes * 1024;
    },
  };
  return numbers;
}

function numberIn(text: string | null, pattern: RegExp): number | null {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? null : Number(found);
}
