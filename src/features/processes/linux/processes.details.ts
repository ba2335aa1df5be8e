import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { kernelUnitsOf } from '../../../host/linux/proc/auxv.ts';
import { parseCgroup, parseCgroupPlace } from '../../../host/linux/proc/cgroup-path.ts';
import { sleep } from '../../../lib/clock.ts';
import type { ProcessFindings, ReadProcess } from '../processes.actions.ts';
import { readCommandLine } from './command-line.ts';
import { processCalls } from './process-calls.part.ts';
import {
  hasPidsOfCalls,
  type ProcessRecord,
  placeOf,
  readProcessRecord,
  stateInWords,
  wholeNameOf,
} from './process-record.ts';
import { createdAt, memoryUsage } from './processes.entry.ts';
import { gpuUseOf, sampleGpus } from './processes.gpus.ts';
import { diskBytesOf, perSecond } from './processes.io.ts';
import { createMachineNumbers } from './processes.machine.ts';
import { gone, otherNumbers, ownerOf, whyNotThis } from './processes.refusals.ts';

/** Between two samples: long enough for a rate, short enough for a request. */
const apartMs = 250;

/** The fields that are too expensive to read for all processes. https://docs.kernel.org/filesystems/proc.html#process-specific-subdirectories */
export const processDetailsLinux =
  (host: LinuxHost): ReadProcess =>
  async (id, start_time) => {
    const { files, clock } = host;
    const record = readProcessRecord(files, id);
    if (record === null) throw gone(id);
    if (start_time !== undefined && record.start !== start_time)
      throw whyNotThis(record, { id, start_time }) ?? gone(id);
    const reasons: ProcessFindings['reasons'] = [];
    const hidden = whyHidden(host, record);
    const lacking = <T>(field: string, value: T | null, reason = hidden): T | null => {
      if (value === null) reasons.push({ field, reason });
      return value;
    };

    const descriptors = await files.names(`/proc/${id}/fd`);
    const isVisible = descriptors.length > 0 || !(record.isZombie || files.denied(`/proc/${id}/fd`));
    const cpuSeconds = await cpuClockOf(host, id);
    const sample = async (now: ProcessRecord, of: readonly string[]) => ({
      at: clock.monotonic(),
      cpu: cpuSeconds(now),
      io: await diskBytesOf(host, id),
      gpus: sampleGpus(files, id, of),
    });
    const before = await sample(record, descriptors);
    await sleep(clock, apartMs);
    const last = readProcessRecord(files, id);
    if (last === null || last.start !== record.start) throw gone(id);
    const after = await sample(last, before.gpus.descriptors);
    const seconds = (after.at - before.at) / 1000;
    const machine = createMachineNumbers(host);
    machine.refresh();
    const path = placeOf(files, `/proc/${id}/exe`);
    const cgroup = lacking('cgroup', parseCgroup(files.text(`/proc/${id}/cgroup`) ?? ''));
    const place = parseCgroupPlace(cgroup ?? '/');
    const ioPriority = await ioPriorityOf(host, id);
    return {
      id,
      start_time: last.start,
      name: wholeNameOf(files, last),
      parent_id: last.parent,
      status: stateInWords(last),
      username: lacking('username', ownerOf(files, id)),
      cpu_usage: seconds <= 0 ? 0 : Math.max(0, Math.round((1000 * (after.cpu - before.cpu)) / seconds) / 10),
      memory_usage: lacking(
        'memory_usage',
        memoryUsage(last.residentPages, machine),
        '/proc/meminfo does not contain the amount of memory',
      ),
      created: lacking('created', createdAt(last.start, machine), '/proc/stat does not contain the boot time'),
      path: lacking('path', path),
      working_directory: lacking('working_directory', placeOf(files, `/proc/${id}/cwd`)),
      nice: last.nice,
      io_priority: lacking('io_priority', ioPriority, hasPidsOfCalls(host) ? hidden : otherNumbers),
      threads: last.threads,
      open_files: lacking('open_files', isVisible ? descriptors.length : null),
      cgroup,
      unit: lacking('unit', place.unit, 'Its control group is not that of a unit of systemd'),
      user_unit: lacking('user_unit', place.userUnit, 'It does not belong to a service manager of a user'),
      container: lacking('container', place.container, 'Its control group is not that of a container'),
      io: lacking('io', before.io === null || after.io === null ? null : perSecond(before.io, after.io, seconds)),
      gpus: isVisible ? gpuUseOf(before.gpus, after.gpus, seconds, reasons) : lacking('gpus', null),
      async command_line() {
        const line = await readCommandLine(host, id);
        return line === 'unanswered'
          ? lacking('command_line', null, 'A process delays the reading of command lines, this one or another')
          : lacking('command_line', line);
      },
      measured_ms: Math.round(after.at - before.at),
      reasons,
    };
  };

/** CPU time. The CPU clock counts nanoseconds, /proc hundredths of a second. */
async function cpuClockOf(host: LinuxHost, id: number): Promise<(record: ProcessRecord) => number> {
  const { ticksPerSecond } = kernelUnitsOf(host.files);
  const clock = hasPidsOfCalls(host) ? await host.processClock() : null;
  return ({ ticks }) => {
    const nanoseconds = clock?.(id) ?? null;
    return nanoseconds === null ? ticks / ticksPerSecond : nanoseconds / 1e9;
  };
}

const classes = ['none', 'realtime', 'best_effort', 'idle'] as const;

/** null: unknown. */
async function ioPriorityOf(host: LinuxHost, id: number): Promise<ProcessFindings['io_priority']> {
  if (!hasPidsOfCalls(host)) return null;
  const calls = await partOf(host, processCalls).catch(() => null);
  const value = calls?.ioPriority(id) ?? null;
  const ioClass = value === null ? undefined : classes[value >> 13];
  if (value === null || ioClass === undefined) return null;
  return { class: ioClass, level: ioClass === 'best_effort' || ioClass === 'realtime' ? value & 7 : null };
}

/** Why a field of a process is not readable. */
function whyHidden({ environment }: LinuxHost, { isZombie, isKernelThread }: ProcessRecord): string {
  if (isZombie) return 'The process has ended and waits for its parent to reap it';
  if (isKernelThread) return 'Kernel threads have none';
  if (environment.uid === 0) return 'The kernel does not report it, or a container or a policy hides it';
  return 'Only root and the user of the process may see it; run the service as root, or give it the capability CAP_SYS_PTRACE';
}
