import type { Files } from '../../../host/linux/files.ts';
import type { CpuStat } from './cpu.stat.ts';

const directory = '/sys/devices/system/cpu';

/** Finds the cores that are present but offline, given those online; reads only after a change. In containers, hidden cores are left out. */
export function createCoreWatch(files: Files, changed: () => void): (online: CpuStat['cores']) => number[] {
  let known: CpuStat['cores'] | null = null;
  let offline: number[] = [];
  return (online) => {
    if (known === null || !sameCores(known, online)) {
      const present = new Set(parseCores(files.text(`${directory}/present`)));
      for (const { id } of online) present.delete(id);
      offline = parseCores(files.text(`${directory}/offline`)).filter((id) => present.has(id));
      if (known !== null) changed();
    }
    known = online;
    return offline;
  };
}

function sameCores(before: CpuStat['cores'], after: CpuStat['cores']): boolean {
  return before.length === after.length && before.every(({ id }, index) => id === after[index]?.id);
}

/** `0-3,8` */
export function parseCores(list: string | null): number[] {
  const ranges = (list ?? '').trim().split(',');
  return ranges
    .filter((range) => /^\d+(-\d+)?$/.test(range))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    });
}
