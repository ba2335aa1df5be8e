import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import { MEMORYSTATUSEX } from '../../host/windows/native/kernel32.structs.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SystemProcessInformation } from '../../host/windows/native/process-entries.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createPairs, type Pair } from '../../lib/sample-pair.ts';
import { createUnchangedEntries } from '../../lib/unchanged-entries.ts';
import { type ListedProcess, parseProcessList } from './processes.list.windows.ts';
import type { Process } from './processes.schema.ts';

export const processesWindows: CreateSource<Process[], WindowsHost> = (host) => {
  let take: (() => Pair<ListedProcess[]> | Promise<Pair<ListedProcess[]>>) | null = null;
  const facts = createFacts();
  const keepUnchanged = createUnchangedEntries<Process>();
  return {
    async read(reasons) {
      const native = await host.native();
      take ??= createPairs(host.clock, () => {
        const block = native.ntdll.systemInformation(SystemProcessInformation);
        return block === null ? [] : parseProcessList(block);
      });
      const { before, after, seconds } = await take();
      if (after.length === 0) {
        reasons.missing(null, 'The kernel does not list the processes');
        return [];
      }
      const status = native.kernel32.memoryStatus();
      const memory = status === null ? null : readStruct(MEMORYSTATUSEX, status).ullTotalPhys;
      const earlier = new Map(before.map(({ key, ticks }) => [key, ticks]));
      const parentOf = createParents(after);
      const processes = after.map((listed) => {
        const spent = Math.max(0, listed.ticks - (earlier.get(listed.key) ?? 0)) / 1e7;
        const cores = seconds > 0 ? spent / seconds : 0;
        return [listed.key, toProcess(listed, parentOf(listed), cores, memory, facts.of(native, listed))] as const;
      });
      facts.forgetOthers(after);
      const shown = keepUnchanged(processes);
      explain(shown, reasons);
      return shown;
    },
  };
};

type Facts = Pick<Process, 'path' | 'username' | 'working_directory'>;

/** Values that hardly ever change, read once per process: they take three calls each. */
function createFacts() {
  const known = new Map<string, Facts>();
  return {
    of({ kernel32, advapi32, ntdll }: Native, { pid, key }: ListedProcess): Facts {
      const last = known.get(key);
      if (last !== undefined) return last;
      const facts = {
        path: kernel32.processImage(pid),
        username: advapi32.processUser(pid),
        working_directory: ntdll.processDirectory(pid),
      };
      known.set(key, facts);
      return facts;
    },
    forgetOthers(list: ListedProcess[]) {
      const present = new Set(list.map(({ key }) => key));
      for (const key of known.keys()) if (!present.has(key)) known.delete(key);
    },
  };
}

/** Windows retains the PID of a parent that has ended and reuses it: a parent younger than its child is ignored. */
function createParents(list: readonly ListedProcess[]): (child: ListedProcess) => number {
  const createdAt = new Map(list.map(({ pid, created }) => [pid, created ?? 0]));
  return ({ parent, created }) => {
    const parentCreated = createdAt.get(parent);
    return parentCreated === undefined || parentCreated > (created ?? 0) ? 0 : parent;
  };
}

function toProcess(listed: ListedProcess, parent: number, cores: number, memory: number | null, facts: Facts): Process {
  return {
    id: listed.pid,
    parent_id: parent,
    name: listed.name,
    cpu_usage: Math.round(1000 * cores) / 10,
    memory_usage: memory === null ? null : Math.min(100, Math.round((10_000 * listed.workingSet) / memory) / 100),
    created: listed.created,
    start_time: listed.startTime,
    status: listed.status,
    ...facts,
  };
}

function explain(processes: Process[], reasons: Reasons): void {
  const rights = 'Windows does not give access to processes of the system, of other users and with higher rights';
  explainNulls(processes, '[]', { memory_usage: 'GlobalMemoryStatusEx failed' }, reasons.missing);
  const created = 'Windows does not report the start time of system processes';
  explainNulls(
    processes,
    '[]',
    { created, path: rights, username: rights, working_directory: rights },
    reasons.inherent,
  );
}
