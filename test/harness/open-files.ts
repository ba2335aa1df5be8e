import fs from 'node:fs';

/** How many files whose names begin like this are open here. Of all files no test can tell: others' are closed at any time. */
export function countOpenFiles(prefix: string): number {
  return fs.readdirSync('/proc/self/fd').filter((descriptor) => linkOf(descriptor).startsWith(prefix)).length;
}

/** Empty: the descriptor is closed by now. */
function linkOf(descriptor: string): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
