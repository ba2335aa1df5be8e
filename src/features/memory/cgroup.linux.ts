import type { Files } from '../../host/linux/files.ts';

/** Bytes of memory that the group of this process may use; null: no limit. https://docs.kernel.org/admin-guide/cgroup-v2.html#memory */
export function memoryLimit(files: Files): number | null {
  const groups = (files.text('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  const own = (controller: string) =>
    groups.find(([, controllers]) => controllers?.split(',').includes(controller))?.[2];
  const limits = [
    ...limitsAbove(files, '/sys/fs/cgroup', own('') ?? '/', 'memory.max'),
    ...limitsAbove(files, '/sys/fs/cgroup/memory', own('memory') ?? '/', 'memory.limit_in_bytes'),
  ];
  return limits.length === 0 ? null : Math.min(...limits);
}

/** The limits of a group and of those it is part of. Inside a container the mount may begin at the group itself. */
function limitsAbove(files: Files, mount: string, group: string, name: string): number[] {
  const names = group.split('/').filter((part) => part !== '');
  return Array.from({ length: names.length + 1 }, (_, depth) => [mount, ...names.slice(0, depth), name].join('/'))
    .map((file) => Number(files.text(file)?.trim() || Number.NaN))
    .filter((limit) => Number.isSafeInteger(limit));
}
