import { address, openLibrary, pinned } from '../../ffi.ts';

/** CPU time of a process so far, all its threads and those that have ended, nanoseconds. null: there is none of this number in our namespace. */
export type ProcessClock = (pid: number) => number | null;

/** Any process may ask about any other, and it costs less than the cheapest read in /proc. https://man7.org/linux/man-pages/man3/clock_getcpuclockid.3.html */
export function openProcessClock(): ProcessClock | null {
  const library = openLibrary(['libc.so.6', 'libc.musl-aarch64.so.1', 'libc.musl-x86_64.so.1'], {
    clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  });
  if (library === null) return null;
  const { clock_gettime } = library.symbols;
  const memory = pinned(16);
  // struct timespec: seconds and nanoseconds, 64 bits each.
  const words = new Uint32Array(memory.buffer);
  const place = address(memory);
  return (pid) => {
    // How clock_getcpuclockid builds it: the scheduler's clock of the whole process.
    if (clock_gettime((~pid << 3) | 2, place) !== 0) return null;
    return ((words[0] ?? 0) + (words[1] ?? 0) * 2 ** 32) * 1e9 + (words[2] ?? 0);
  };
}
