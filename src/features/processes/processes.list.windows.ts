import { SYSTEM_PROCESS_INFORMATION, SYSTEM_THREAD_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import { processEntries } from '../../host/windows/native/process-entries.ts';
import { offsetIn, readStruct, type StructBlock, unixSeconds, wideText } from '../../host/windows/native/structs.ts';

export type ListedProcess = ReturnType<typeof parseProcessList>[number];

export function parseProcessList(block: StructBlock) {
  // PID 0 is the idle process.
  const others = processEntries(block).filter(({ entry }) => entry.UniqueProcessId !== 0);
  return others.map(({ at, entry }) => {
    const text = offsetIn(block, entry['ProcessName.Buffer']);
    return {
      pid: entry.UniqueProcessId,
      /** PID of the creator; it may be reused. */
      parent: entry.ParentProcessId,
      name: text === null ? '' : wideText(block.bytes, text, text + entry['ProcessName.Length']),
      /** Unix seconds; null: created before the clock was set. */
      created: entry.CreationTime === 0 ? null : Math.max(0, unixSeconds(entry.CreationTime)),
      /** Microseconds since 1970; 0: created before the clock was set. */
      startTime: Math.max(0, Math.round((entry.CreationTime - unixEpoch) / 10)),
      /** PID and creation time, because a PID is reused. */
      key: `${entry.UniqueProcessId} ${entry.CreationTime}`,
      /** CPU time, hundreds of nanoseconds. */
      ticks: entry.UserTime + entry.KernelTime,
      workingSet: entry['vmCounters.WorkingSetSize'],
      status: statusOf(block.bytes, at + SYSTEM_PROCESS_INFORMATION.size, entry.dwThreadCount),
    };
  });
}

/** 1970, in hundreds of nanoseconds since 1601. */
const unixEpoch = 116_444_736_000_000_000;

const Ready = 1;
const Running = 2;
const Standby = 3;
const Waiting = 5;
const DeferredReady = 7;
const Suspended = 5;

/** A process runs if one of its threads does, and is stopped if all of them are suspended. */
function statusOf(bytes: Uint8Array, at: number, count: number): string {
  const threads: { state: number; reason: number }[] = [];
  for (let index = 0; index < count; index++) {
    const place = at + index * SYSTEM_THREAD_INFORMATION.size;
    if (place + SYSTEM_THREAD_INFORMATION.size > bytes.length) break;
    const { dwThreadState, dwWaitReason } = readStruct(SYSTEM_THREAD_INFORMATION, bytes, place);
    threads.push({ state: dwThreadState, reason: dwWaitReason });
  }
  if (threads.length === 0) return 'unknown';
  if (threads.some(({ state }) => [Ready, Running, Standby, DeferredReady].includes(state))) return 'running';
  const waits = threads.filter(({ state }) => state === Waiting);
  if (waits.length === threads.length && waits.every(({ reason }) => reason === Suspended)) return 'stopped';
  return waits.length > 0 ? 'sleeping' : 'unknown';
}
