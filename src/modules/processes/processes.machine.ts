import type { Host } from '../../host/host.ts';
import { type KernelUnits, parseKernelUnits } from '../../host/linux/auxv.ts';

/** What the numbers of processes refer to. */
export interface MachineNumbers extends KernelUnits {
  /** Unix seconds. */
  bootTime: number | null;
  memoryBytes: number | null;
  /** Seconds since boot, now. */
  uptime(): number | null;
  /** Memory may be added, and the clock be set. */
  refresh(): void;
  close(): void;
}

const refreshMs = 30_000;

export function createMachineNumbers({ files, clock }: Pick<Host, 'files' | 'clock'>): MachineNumbers {
  const uptime = files.keep('/proc/uptime');
  let refreshAt = Number.NEGATIVE_INFINITY;
  const numbers: MachineNumbers = {
    ...parseKernelUnits(files.bytes('/proc/self/auxv')),
    bootTime: null,
    memoryBytes: null,
    uptime: () => Number.parseFloat(uptime.text() ?? '') || null,
    refresh() {
      if (clock.monotonic() < refreshAt) return;
      refreshAt = clock.monotonic() + refreshMs;
      const boot = numberIn(files.text('/proc/stat'), /^btime (\d+)/m);
      // It wobbles by a second while the clock is being adjusted, and nobody was born anew by that.
      if (boot === null || numbers.bootTime === null || Math.abs(boot - numbers.bootTime) > 1) numbers.bootTime = boot;
      const kilobytes = numberIn(files.text('/proc/meminfo'), /^MemTotal: +(\d+) kB/m);
      numbers.memoryBytes = kilobytes === null ? null : kilobytes * 1024;
    },
    close: uptime.close,
  };
  return numbers;
}

function numberIn(text: string | null, pattern: RegExp): number | null {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? null : Number(found);
}
