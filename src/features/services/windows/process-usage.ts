import { SYSTEM_PROCESS_INFORMATION } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct, type StructBlock, unixSeconds } from '../../../host/windows/native/structs.ts';

export interface ProcessUsage {
  /** Unix seconds. */
  since: number;
  /** Seconds. */
  cpuTime: number;
  /** Bytes. */
  memory: number;
}

/** Usage by process ID, from SystemProcessInformation (class 5) of NtQuerySystemInformation. */
export function parseProcessUsage({ bytes }: StructBlock): Map<number, ProcessUsage> {
  const found = new Map<number, ProcessUsage>();
  for (let at = 0; at + SYSTEM_PROCESS_INFORMATION.size <= bytes.length; ) {
    const entry = readStruct(SYSTEM_PROCESS_INFORMATION, bytes, at);
    found.set(entry.UniqueProcessId, {
      since: Math.max(0, unixSeconds(entry.CreationTime)),
      cpuTime: (entry.UserTime + entry.KernelTime) / 1e7,
      memory: entry['vmCounters.WorkingSetSize'],
    });
    if (entry.NextEntryOffset === 0) break;
    at += entry.NextEntryOffset;
  }
  return found;
}
