import fs from 'node:fs';
import { openLibc } from '../host/linux/libc.ts';
import { triedWith } from './runtime-options.ts';

/** From asm-generic/mman-common.h. */
const MADV_DONTNEED = 4;

/** Of the compiled program: the section with our code, which the tried version of the runtime only reads. */
const bundleSection = '.bun';

/** Code and constants. A read-only mapping at another offset may hold relocated addresses, which the file does not have. */
const unwritten = /^([0-9a-f]+)-([0-9a-f]+) r-(?:xp|-p 00000000) .* (\/.*)$/gm;

/**
 * Only what is never written, so that the file has all of it. The system keeps the pages in its cache, and maps those that are used again, 16 at a time.
 * They stay mapped where native code cannot be called or /proc cannot be read.
 */
export function unmapProgram(): void {
  try {
    const { madvise } = openLibc({ madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' } });
    const bundle = process.versions.bun === triedWith ? sectionOf('/proc/self/exe', bundleSection) : null;
    if (bundle !== null) madvise(bundle.address, bundle.size, MADV_DONTNEED);
    const program = fs.readlinkSync('/proc/self/exe');
    for (const [, start, end, file] of fs.readFileSync('/proc/self/maps', 'utf8').matchAll(unwritten)) {
      const from = BigInt(`0x${start}`);
      if (file === program) madvise(from, BigInt(`0x${end}`) - from, MADV_DONTNEED);
    }
  } catch {}
}

/** https://man7.org/linux/man-pages/man5/elf.5.html */
function sectionOf(file: string, wanted: string): { address: bigint; size: bigint } | null {
  const descriptor = fs.openSync(file, 'r');
  try {
    const read = (offset: bigint, bytes: number) => {
      const buffer = Buffer.alloc(bytes);
      fs.readSync(descriptor, buffer, 0, bytes, offset);
      return buffer;
    };
    const header = read(0n, 64);
    const sectionBytes = header.readUInt16LE(58);
    const table = read(header.readBigUInt64LE(40), header.readUInt16LE(60) * sectionBytes);
    const sections = Array.from({ length: header.readUInt16LE(60) }, (_, index) =>
      table.subarray(index * sectionBytes),
    );
    const names = sections[header.readUInt16LE(62)];
    if (names === undefined) return null;
    const text = read(names.readBigUInt64LE(24), names.readUInt32LE(32)).toString('latin1');
    const found = sections.find((section) => text.startsWith(`${wanted}\0`, section.readUInt32LE(0)));
    return found === undefined ? null : { address: found.readBigUInt64LE(16), size: found.readBigUInt64LE(32) };
  } finally {
    fs.closeSync(descriptor);
  }
}
