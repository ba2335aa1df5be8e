import type { Files } from '../../../host/linux/files.ts';
import { firstNumber, type ShortFile } from '../../../host/linux/proc/short-file.ts';

export type CgroupUsage = ReturnType<typeof createCgroupUsage>;

interface Counter {
  file: ShortFile;
  /** Divides the count into bytes or seconds. */
  perUnit: number;
  /** false: missing at the first read, so the kernel does not count this for the group. null: not read yet. */
  isThere: boolean | null;
}

interface Counters {
  memory: Counter[];
  cpu: Counter[];
}

/**
 * Memory and CPU time of control groups. Opens only files below their root, whatever path a unit reports.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
export function createCgroupUsage(files: Files) {
  const root = '/sys/fs/cgroup';
  const bytes = new Uint8Array(new ArrayBuffer(64));
  const opened = new Map<string, Counters>();
  let isUnified: boolean | null = null;

  const counter = (file: string, perUnit: number): Counter => ({ file: files.short(file), perUnit, isThere: null });

  const open = (group: string): Counters => {
    isUnified ??= files.exists(`${root}/cgroup.controllers`);
    if (isUnified)
      return {
        memory: [counter(`${root}${group}/memory.current`, 1)],
        cpu: [counter(`${root}${group}/cpu.stat`, 1e6)],
      };
    // Hybrid hierarchy: v2 counts the time of every group, v1 only that of the controllers that are enabled.
    return {
      memory: [counter(`${root}/memory${group}/memory.usage_in_bytes`, 1)],
      cpu: [counter(`${root}/unified${group}/cpu.stat`, 1e6), counter(`${root}/cpuacct${group}/cpuacct.usage`, 1e9)],
    };
  };

  const numberIn = (counters: readonly Counter[]): number | null => {
    for (const each of counters) {
      if (each.isThere === false) continue;
      // A group that was recreated under its name is found at the second try.
      const length = each.file.read(bytes) ?? (each.isThere ? each.file.read(bytes) : null);
      each.isThere ??= length !== null;
      const count = length === null ? null : firstNumber(bytes, length);
      if (count !== null) return count / each.perUnit;
    }
    return null;
  };

  const close = ({ memory, cpu }: Counters) => {
    for (const { file } of [...memory, ...cpu]) file.close();
  };

  return {
    /** `group` is a path such as /system.slice/cron.service. null: the kernel does not count it there. */
    read(group: string) {
      const counters = opened.get(group) ?? open(group);
      opened.set(group, counters);
      return { memory: numberIn(counters.memory), cpu: numberIn(counters.cpu) };
    },
    /** Closes the files of all other groups. */
    keepOnly(groups: ReadonlySet<string>) {
      for (const [group, counters] of opened) {
        if (groups.has(group)) continue;
        close(counters);
        opened.delete(group);
      }
    },
    close() {
      for (const counters of opened.values()) close(counters);
      opened.clear();
    },
  };
}
