import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { sleep } from '../../lib/clock.ts';
import { type Later, mapLater } from '../../lib/later.ts';
import { oldestMs } from '../../lib/sample-pair.ts';
import { createActivity } from './linux/processes.activity.ts';
import type { ProcessEntry } from './linux/processes.entry.ts';
import { createMachineNumbers, type MachineNumbers } from './linux/processes.machine.ts';
import { isEnding, isKernelThread } from './linux/processes.stat.ts';
import { createTable, type Table } from './linux/processes.table.ts';
import { tableInUse } from './linux/processes.table-in-use.ts';
import type { Process } from './processes.schema.ts';

/** CPU usage is measured over at least this time. */
const apartMs = 100;

/** Every process, from /proc. https://docs.kernel.org/filesystems/proc.html#process-specific-subdirectories */
export const processesLinux: CreateSource<Process[], LinuxHost> = (host) => {
  const { clock } = host;
  const machine = createMachineNumbers(host);
  const inUse = tableInUse(host.files);
  let table: Table | null = null;
  let closed = false;

  const open = async () => {
    const opened = createTable(host, await createActivity(host), machine);
    table = opened;
    if (closed) opened.close();
    else Object.assign(inUse, { table: opened, release });
    return opened;
  };

  const release = () => {
    table?.close();
    if (inUse.table === table) inUse.table = null;
    table = null;
  };

  /** Takes a first sample if there is none within the interval. */
  const readTwice = async (from: Table) => {
    const readAt = from.readAt();
    const age = readAt === null ? Number.POSITIVE_INFINITY : clock.monotonic() - readAt;
    if (age > oldestMs) await from.read();
    await sleep(clock, age < apartMs ? apartMs - age : apartMs);
    return from.read();
  };

  const readTable = (from: Table) => {
    const age = clock.monotonic() - (from.readAt() ?? Number.NEGATIVE_INFINITY);
    // The history may have read it on this tick.
    const last = age < apartMs && inUse.isSampled ? from.last() : null;
    inUse.isSampled = false;
    return last ?? (age >= apartMs && age <= oldestMs ? from.read() : readTwice(from));
  };

  const readFrom = (from: Table, reasons: Reasons): Later<Process[]> =>
    mapLater(readTable(from), ({ processes, incomplete }) => {
      explain(from, incomplete, machine, reasons, host.environment.uid === 0);
      return processes;
    });

  return {
    // Synchronous where it can be: the runtime sends the headers of a later answer above 16 KiB in 25 packets.
    read(reasons) {
      inUse.askedAt = clock.monotonic();
      return table === null ? open().then((opened) => readFrom(opened, reasons)) : readFrom(table, reasons);
    },
    close() {
      closed = true;
      release();
    },
  };
};

function explain(
  table: Table,
  incomplete: readonly ProcessEntry[],
  machine: MachineNumbers,
  reasons: Reasons,
  isRoot: boolean,
): void {
  const proc = 'mount all of it, or set HOSTLER_PROC to where it is mounted';
  if (!table.isThere()) return reasons.missing(null, `/proc shows no processes; ${proc}`);
  if (table.hidesSome()) {
    reasons.missing(
      '[]',
      'Processes of other users are hidden (/proc is mounted with hidepid); mount it with hidepid=0, or add the service to the group that its gid= option names',
    );
  }
  if (machine.bootTime === null) reasons.missing('[].created', `/proc/stat does not contain the boot time; ${proc}`);
  if (machine.memoryBytes === null)
    reasons.missing('[].memory_usage', `/proc/meminfo does not contain the amount of memory; ${proc}`);
  if (incomplete.some(({ user }) => user === null))
    reasons.missing(
      '[].username',
      'The status of some processes cannot be read: they ended meanwhile, or a policy forbids it',
    );
  explainPlaces(incomplete, reasons, isRoot);
}

function explainPlaces(entries: readonly ProcessEntry[], reasons: Reasons, isRoot: boolean): void {
  const ended = 'Processes that have ended no longer have a program file';
  const pathless = entries.filter(({ facts }) => facts.path === null);
  if (pathless.some(isKernelThread)) reasons.inherent('[].path', 'Kernel threads have no program file');
  if (pathless.some(isEnding)) reasons.inherent('[].path', ended);
  if (pathless.some((entry) => !isKernelThread(entry) && !isEnding(entry)))
    hidden('[].path', 'Program files', reasons, isRoot);
  const placeless = entries.filter(({ facts }) => facts.workingDirectory === null);
  if (placeless.some(isEnding)) reasons.inherent('[].working_directory', ended);
  if (placeless.some((entry) => !isEnding(entry))) hidden('[].working_directory', 'Directories', reasons, isRoot);
}

/** What is hidden from root as well cannot be fixed. */
function hidden(field: string, what: string, reasons: Reasons, isRoot: boolean): void {
  if (isRoot)
    return reasons.inherent(field, `${what} of some processes are hidden even from root, by a container or a policy`);
  const permission = 'run the service as root, or give it the capability CAP_SYS_PTRACE';
  reasons.missing(field, `${what} of other users’ processes are hidden; ${permission}`);
}
