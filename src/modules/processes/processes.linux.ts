import type { CreateSource, Reasons } from '../../core/module.ts';
import { sleep } from '../../host/clock.ts';
import { createActivity } from './processes.activity.ts';
import { type Entry, show } from './processes.entry.ts';
import { createMachineNumbers, type MachineNumbers } from './processes.machine.ts';
import type { Process } from './processes.schema.ts';
import { isEnding, isKernelThread } from './processes.stat.ts';
import { createTable, type Table } from './processes.table.ts';

/** An older sample says nothing about now, and a nearer one too little. */
const oldestMs = 5000;
const apartMs = 100;

/** Every process, from /proc. https://docs.kernel.org/filesystems/proc.html#process-specific-subdirectories */
export const processesLinux: CreateSource<Process[]> = (host) => {
  const { clock } = host;
  const machine = createMachineNumbers(host);
  let table: Table | null = null;
  let closed = false;

  const open = async () => {
    const opened = createTable(host, await createActivity(host), machine);
    if (closed) opened.close();
    table = opened;
    return opened;
  };

  /** CPU usage needs a look that was not long ago. */
  const lookFromFarther = async (from: Table) => {
    const lookedAt = from.lookedAt();
    const age = lookedAt === null ? Number.POSITIVE_INFINITY : clock.monotonic() - lookedAt;
    if (age > oldestMs) await from.look();
    await sleep(clock, age < apartMs ? apartMs - age : apartMs);
    return from.look();
  };

  const look = (from: Table) => {
    const age = clock.monotonic() - (from.lookedAt() ?? Number.NEGATIVE_INFINITY);
    return age >= apartMs && age <= oldestMs ? from.look() : lookFromFarther(from);
  };

  return {
    read(reasons) {
      const present = (from: Table, entries: readonly Entry[]) => {
        explain(from, entries, machine, reasons);
        return entries.map((entry) => show(entry, machine));
      };
      if (table === null) return open().then(async (opened) => present(opened, await look(opened)));
      const from = table;
      const entries = look(from);
      return entries instanceof Promise ? entries.then((landed) => present(from, landed)) : present(from, entries);
    },
    close() {
      closed = true;
      table?.close();
      machine.close();
    },
  };
};

function explain(table: Table, entries: readonly Entry[], machine: MachineNumbers, reasons: Reasons): void {
  const proc = 'mount the whole of it, or point HOSTLER_PROC to where it is mounted';
  if (!table.isThere()) return reasons.missing(null, `/proc shows no processes; ${proc}`);
  if (table.hidesSome()) {
    reasons.missing(
      '[]',
      'Processes of other users are hidden (/proc is mounted with hidepid); mount it with hidepid=0, or let the service be in the group that its gid= option names',
    );
  }
  if (machine.bootTime === null) reasons.missing('[].created', `/proc/stat does not tell the time of boot; ${proc}`);
  if (machine.memoryBytes === null)
    reasons.missing('[].memory_usage', `/proc/meminfo does not tell the memory; ${proc}`);
  if (entries.some(({ user }) => user === null))
    reasons.missing(
      '[].username',
      'The status of some processes cannot be read: they ended meanwhile, or a policy forbids it',
    );
  explainPlaces(entries, reasons);
}

function explainPlaces(entries: readonly Entry[], reasons: Reasons): void {
  const nowhere = entries.filter(({ facts }) => facts.path === null || facts.workingDirectory === null);
  const kernel = nowhere.some(({ stat }) => isKernelThread(stat));
  const ended = nowhere.some(({ stat }) => isEnding(stat));
  const refused = nowhere.some(({ stat }) => !isKernelThread(stat) && !isEnding(stat));
  for (const field of ['[].path', '[].working_directory']) {
    if (kernel) reasons.inherent(field, 'Threads of the kernel have neither a program file nor a directory');
    if (ended)
      reasons.inherent(field, 'Processes that have ended have neither a program file nor a directory any more');
    if (refused) {
      reasons.missing(
        field,
        'Program files and directories of other users’ processes cannot be read; run the service as root, or give it the capability CAP_SYS_PTRACE',
      );
    }
  }
}
