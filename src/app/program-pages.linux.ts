import fs from 'node:fs';
import { openLibc } from '../host/linux/libc.ts';

/** From asm-generic/mman-common.h. */
const MADV_DONTNEED = 4;

/** Code and constants. A read-only mapping at another offset may hold relocated addresses, which the file does not have. */
const unwritten = /^([0-9a-f]+)-([0-9a-f]+) r-(?:xp|-p 00000000) .* (\/.*)$/gm;

/**
 * Only what is never written, so that the file has all of it. The system keeps the pages in its cache, and maps those that are used again, 16 at a time.
 * They stay mapped where native code cannot be called or /proc cannot be read.
 */
export function unmapProgram(): void {
  try {
    const { madvise } = openLibc('madvise');
    const program = fs.readlinkSync('/proc/self/exe');
    for (const [, start, end, file] of fs.readFileSync('/proc/self/maps', 'utf8').matchAll(unwritten)) {
      const from = BigInt(`0x${start}`);
      if (file === program) madvise(from, BigInt(`0x${end}`) - from, MADV_DONTNEED);
    }
  } catch {}
}
