import type { Source } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { parseKernelUnits } from '../../host/linux/proc/auxv.ts';
import type { Memory } from './memory.schema.ts';

const arcstatsPath = '/proc/spl/kstat/zfs/arcstats';

/** https://docs.kernel.org/filesystems/proc.html#meminfo */
export const memoryLinux = ({ files }: LinuxHost): Source<Memory> => {
  const meminfo = files.keep('/proc/meminfo');
  const vmstat = files.keep('/proc/vmstat');
  const arcstats = files.exists(arcstatsPath) ? files.keep(arcstatsPath) : null;
  const limit = memoryLimit(files);
  const { pageBytes } = parseKernelUnits(files.bytes('/proc/self/auxv'));
  return {
    read(reasons) {
      return parseMemory(
        { meminfo: meminfo.text(), vmstat: vmstat.text(), arcstats: arcstats?.text() ?? null, pageBytes, limit },
        reasons,
      );
    },
    close() {
      for (const file of [meminfo, vmstat, arcstats]) file?.close();
    },
  };
};

export interface MemoryTexts {
  meminfo: string | null;
  vmstat: string | null;
  /** Only where ZFS is loaded. */
  arcstats: string | null;
  pageBytes: number;
  /** The limit of this process, if it has one. */
  limit: number | null;
}

export function parseMemory({ meminfo, vmstat, arcstats, pageBytes, limit }: MemoryTexts, reasons: Reasons): Memory {
  if (meminfo === null) {
    const sentence = '/proc/meminfo cannot be read; mount /proc, or set HOSTLER_PROC to where it is mounted';
    reasons.missing('virtual', sentence);
    reasons.missing('swap', sentence);
  }
  const kilobytes = (key: string) => times(numberAfter(meminfo, `${key}:`), 1024);
  const pages = (key: string) => times(numberAfter(vmstat, `${key} `), pageBytes);
  const total = kilobytes('MemTotal');
  const free = kilobytes('MemFree');
  const caches = sum(kilobytes('Cached'), kilobytes('SReclaimable') ?? 0);
  // Kernels before 3.14 have no estimate of available memory.
  const estimate = kilobytes('MemAvailable') ?? sum(free, kilobytes('Buffers'), caches);
  const arc = parseArc(arcstats, total === null || estimate === null ? 0 : total - estimate);
  const cached = sum(caches, arc.size);
  const available = sum(estimate, arc.reclaimable);
  const used = total === null || available === null ? null : Math.max(0, total - available);
  const swapTotal = kilobytes('SwapTotal');
  const swapFree = kilobytes('SwapFree');
  const swapUsed = swapTotal === null || swapFree === null ? null : Math.max(0, swapTotal - swapFree);
  const sin = pages('pswpin');
  const sout = pages('pswpout');

  if (limit !== null && total !== null && limit < total) {
    const mebibytes = Math.round(limit / 1024 ** 2);
    reasons.inherent(
      'virtual.total',
      `This is the memory of the whole machine; the container or unit this service runs in may use ${mebibytes} MiB of it`,
    );
  }
  reasons.inherent('virtual.wired', 'Only macOS counts wired memory');
  if (sin === null || sout === null) {
    const sentence = '/proc/vmstat has no swap counters: the kernel was built without them, or it cannot be read';
    reasons.missing('swap.sin', sentence);
    reasons.missing('swap.sout', sentence);
  }
  const payload: Memory = {
    virtual: {
      total,
      available,
      percent: percentOf(used, total),
      used,
      free,
      active: kilobytes('Active'),
      inactive: kilobytes('Inactive'),
      buffers: kilobytes('Buffers'),
      cached,
      wired: null,
      shared: kilobytes('Shmem'),
    },
    swap: { total: swapTotal, used: swapUsed, free: swapFree, percent: percentOf(swapUsed, swapTotal), sin, sout },
  };
  if (meminfo !== null) explainLines(payload, reasons);
  return payload;
}

/** Some containers replace the kernel's table by one with fewer lines. */
function explainLines({ virtual, swap }: Memory, reasons: Reasons): void {
  const why = () => '/proc/meminfo lacks the lines it is calculated from';
  const { wired: _wired, ...ofVirtual } = virtual;
  const { sin: _sin, sout: _sout, ...ofSwap } = swap;
  explainNulls([ofVirtual], 'virtual', why, reasons.inherent);
  explainNulls([ofSwap], 'swap', why, reasons.inherent);
}

/** ZFS frees its cache under pressure, but the kernel does not count it as cache. One larger than the used memory belongs to the host of a container. */
function parseArc(arcstats: string | null, inUse: number) {
  const size = arcstats === null ? 0 : (lastNumberOf(arcstats, 'size ') ?? 0);
  const minimum = arcstats === null ? 0 : (lastNumberOf(arcstats, 'c_min ') ?? 0);
  return size > inUse ? { size: 0, reclaimable: 0 } : { size, reclaimable: Math.max(0, size - minimum) };
}

/** The number that follows a key at the beginning of a line. */
function numberAfter(text: string | null, key: string): number | null {
  if (text === null) return null;
  const at = text.startsWith(key) ? 0 : text.indexOf(`\n${key}`) + 1;
  if (at === 0 && !text.startsWith(key)) return null;
  const value = Number.parseInt(text.slice(at + key.length, at + key.length + 32), 10);
  return Number.isNaN(value) ? null : value;
}

/** kstat lines are `name type value`. */
function lastNumberOf(text: string, name: string): number | null {
  const line = text.split('\n').find((candidate) => candidate.startsWith(name));
  const value = Number(line?.trim().split(/\s+/).at(-1));
  return line === undefined || Number.isNaN(value) ? null : value;
}

/** 0 % without swap, as in other tools. */
function percentOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null) return null;
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}

const times = (value: number | null, factor: number) => (value === null ? null : value * factor);

function sum(...values: (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

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

/** The limits of a group and its parents. Inside a container the mount may begin at the group itself. */
function limitsAbove(files: Files, mount: string, group: string, name: string): number[] {
  const names = group.split('/').filter((part) => part !== '');
  return Array.from({ length: names.length + 1 }, (_, depth) => [mount, ...names.slice(0, depth), name].join('/'))
    .map((file) => Number(files.text(file)?.trim() || Number.NaN))
    .filter((limit) => Number.isSafeInteger(limit));
}
