import type { Counters } from '../disks.schema.ts';

/** A block device with its counters. https://docs.kernel.org/admin-guide/iostats.html */
export interface DiskStat {
  /** Numbers of the device, `8:1`. */
  device: string;
  /** As in /sys/block, where `!` stands for a slash. */
  name: string;
  counters: Counters;
}

/** The sector size of the kernel's counters, for every device. */
const sectorBytes = 512;

export function parseDiskstats(text: string): DiskStat[] {
  const stats: DiskStat[] = [];
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0];
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    let from = at;
    const word = (): string => {
      while (text.charCodeAt(from) === 32) from++;
      const begin = from;
      while (from < end && text.charCodeAt(from) !== 32) from++;
      return text.slice(begin, from);
    };
    const major = word();
    const minor = word();
    const name = word();
    for (let index = 0; index < numbers.length; index++) {
      while (text.charCodeAt(from) === 32) from++;
      let value = 0;
      while (from < end && text.charCodeAt(from) !== 32) value = value * 10 + text.charCodeAt(from++) - 48;
      numbers[index] = value;
    }
    if (name !== '') stats.push(statOf(`${major}:${minor}`, name.replaceAll('/', '!'), numbers));
    at = end + 1;
  }
  return stats;
}

/** Reads, merged reads, sectors, ms; the same for writes. */
function statOf(device: string, name: string, numbers: number[]): DiskStat {
  const [read_count = 0, , read = 0, read_time = 0, write_count = 0, , written = 0, write_time = 0] = numbers;
  const [read_bytes, write_bytes] = [read * sectorBytes, written * sectorBytes];
  return { device, name, counters: { read_count, write_count, read_bytes, write_bytes, read_time, write_time } };
}
