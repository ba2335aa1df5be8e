import fs from 'node:fs';

/** The number of open files whose names begin like this. Other tests close their files at any time, so a total is not usable. */
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
