import type { Source } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { MEMORYSTATUSEX, PERFORMANCE_INFORMATION } from '../../host/windows/native/kernel32.structs.ts';
import {
  SYSTEM_PAGEFILE_INFORMATION,
  SYSTEM_PERFORMANCE_INFORMATION,
} from '../../host/windows/native/ntdll.structs.ts';
import { readChain, readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Memory } from './memory.schema.ts';

const SystemPerformanceInformation = 2;
const SystemPageFileInformation = 18;

export const memoryWindows = (host: WindowsHost): Source<Memory> => ({
  async read(reasons) {
    const { kernel32, ntdll } = await host.native();
    return parseMemoryStatus(
      {
        status: kernel32.memoryStatus(),
        performance: kernel32.performanceInfo(),
        counters: ntdll.systemInformation(SystemPerformanceInformation)?.bytes ?? null,
        pageFiles: ntdll.systemInformation(SystemPageFileInformation)?.bytes ?? null,
      },
      reasons,
    );
  },
});

export interface MemoryBytes {
  /** A MEMORYSTATUSEX. */
  status: Uint8Array | null;
  /** A PERFORMANCE_INFORMATION. */
  performance: Uint8Array | null;
  /** A SYSTEM_PERFORMANCE_INFORMATION. */
  counters: Uint8Array | null;
  /** A list of SYSTEM_PAGEFILE_INFORMATION, empty without a page file. */
  pageFiles: Uint8Array | null;
}

export function parseMemoryStatus({ status, performance, counters, pageFiles }: MemoryBytes, reasons: Reasons): Memory {
  const physical = status === null ? null : readStruct(MEMORYSTATUSEX, status);
  const info = performance === null ? null : readStruct(PERFORMANCE_INFORMATION, performance);
  const total = physical?.ullTotalPhys ?? null;
  const available = physical?.ullAvailPhys ?? null;
  const used = total === null || available === null ? null : Math.max(0, total - available);
  const pageBytes = info?.PageSize ?? 4096;
  const swap = readPageFiles(pageFiles, pageBytes) ?? commitBeyondMemory(status);
  const counted = counters === null ? null : readStruct(SYSTEM_PERFORMANCE_INFORMATION, counters);
  const payload: Memory = {
    virtual: {
      total,
      available,
      percent: percentOf(used, total),
      used,
      // The standby list counts as available, as in the Task Manager; the rest cannot be divided without privileges.
      free: available,
      active: null,
      inactive: null,
      buffers: null,
      cached: info === null ? null : info.SystemCache * pageBytes,
      wired: null,
      shared: null,
    },
    swap: {
      ...swap,
      sin: null,
      sout: counted === null ? null : counted.PagefilePagesWritten * pageBytes,
    },
  };
  explain(payload, reasons);
  return payload;
}

type SwapSizes = Omit<Memory['swap'], 'sin' | 'sout'>;

function readPageFiles(bytes: Uint8Array | null, pageBytes: number): SwapSizes | null {
  if (bytes === null) return null;
  let total = 0;
  let used = 0;
  for (const { entry } of readChain(SYSTEM_PAGEFILE_INFORMATION, bytes)) {
    total += entry.TotalSize * pageBytes;
    used += entry.TotalInUse * pageBytes;
  }
  return { total, used, free: total - used, percent: percentOf(used, total) };
}

/** Without data about page files: the commit limit beyond physical memory. */
function commitBeyondMemory(status: Uint8Array | null): SwapSizes {
  if (status === null) return { total: null, used: null, free: null, percent: null };
  const { ullTotalPhys, ullAvailPhys, ullTotalPageFile, ullAvailPageFile } = readStruct(MEMORYSTATUSEX, status);
  const beyond = ullTotalPageFile - ullTotalPhys;
  // The two are sampled separately, and differ by some pages without a page file.
  const total = beyond < 2 ** 20 ? 0 : beyond;
  const committed = ullTotalPageFile - ullAvailPageFile;
  const used = Math.min(total, Math.max(0, committed - (ullTotalPhys - ullAvailPhys)));
  return { total, used, free: total - used, percent: percentOf(used, total) };
}

function explain({ virtual, swap }: Memory, reasons: Reasons): void {
  reasons.inherent('virtual.active', 'Windows does not divide memory into active and inactive');
  reasons.inherent('virtual.inactive', 'Windows does not divide memory into active and inactive');
  reasons.inherent('virtual.buffers', 'Windows has one cache for files and devices');
  reasons.inherent('virtual.shared', 'Windows does not report the total of shared memory');
  reasons.inherent('virtual.wired', 'Only macOS counts wired memory');
  if (virtual.total === null) {
    for (const field of ['total', 'available', 'percent', 'used', 'free'])
      reasons.missing(`virtual.${field}`, 'GlobalMemoryStatusEx failed');
  }
  if (virtual.cached === null) reasons.missing('virtual.cached', 'GetPerformanceInfo failed');
  if (swap.total === null)
    for (const field of ['total', 'used', 'free', 'percent'])
      reasons.missing(`swap.${field}`, 'GlobalMemoryStatusEx failed');
  reasons.inherent('swap.sin', 'Windows counts what it reads from page files and from programs together');
  if (swap.sout === null) reasons.missing('swap.sout', 'The kernel does not report its counters');
}

/** 0 % without a page file. */
function percentOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null) return null;
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}
