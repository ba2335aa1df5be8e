import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type KernelUnits, parseKernelUnits } from '../../../host/linux/proc/auxv.ts';

/** Boot time, memory and units of the machine. */
export interface MachineNumbers extends KernelUnits {
  /** Unix seconds. */
  bootTime: number | null;
  memoryBytes: number | null;
  /** Converts clock ticks after boot to the monotonic clock. */
  monotonicAt(ticks: number): number | null;
  /** Memory can be added, and the clock can be set. */
  refresh(): void;
}

const refreshMs = 30_000;

export function createMachineNumbers({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>): MachineNumbers {
  /** Boot time on the monotonic clock. */
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
      // The boot time varies by a second while the clock is adjusted.
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
