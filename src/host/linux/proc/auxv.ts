import { keptFor } from '../../../lib/cache-by-object.ts';
import type { Files } from '../files.ts';

export interface KernelUnits {
  pageBytes: number;
  ticksPerSecond: number;
}

const AT_PAGESZ = 6n;
const AT_CLKTCK = 17n;

/** From /proc/self/auxv, which is pairs of words: 16 KiB and 64 KiB pages are common on ARM. https://man7.org/linux/man-pages/man3/getauxval.3.html */
export function parseKernelUnits(auxv: Uint8Array | null): KernelUnits {
  const units: KernelUnits = { pageBytes: 4096, ticksPerSecond: 100 };
  if (auxv === null) return units;
  const words = new DataView(auxv.buffer, auxv.byteOffset, auxv.byteLength);
  for (let at = 0; at + 16 <= auxv.byteLength; at += 16) {
    const key = words.getBigUint64(at, true);
    const value = Number(words.getBigUint64(at + 8, true));
    if (key === AT_PAGESZ) units.pageBytes = value;
    if (key === AT_CLKTCK) units.ticksPerSecond = value;
  }
  return units;
}

/** Constant during the lifetime of this process. */
export const kernelUnitsOf = keptFor((files: Files) => parseKernelUnits(files.bytes('/proc/self/auxv')));
