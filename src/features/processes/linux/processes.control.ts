import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sleep } from '../../../lib/clock.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { ProcessControl, ProcessIdentity } from '../processes.contract.ts';
import type { IoClass, SignalVerb } from '../processes.control.schema.ts';
import { processCalls } from './process-calls.part.ts';
import { type Errno, errnos, type ProcessCalls, type ProcessHandle, signals } from './process-calls.ts';
import { hasPidsOfCalls, type ProcessRecord, readProcessRecord, stateInWords, wholeNameOf } from './process-record.ts';
import { gone, otherNumbers, processRefusalOf, quotedName, tooOld, whyNotThis } from './processes.refusals.ts';

/** How long the effect of a signal is awaited. */
const obeysWithinMs = 1000;
const pollEveryMs = 20;
/** More than any program has. New threads inherit the priority of their creator. */
const mostThreads = 50_000;

const numbers: Record<SignalVerb, number> = {
  terminate: signals.TERM,
  kill: signals.KILL,
  stop: signals.STOP,
  continue: signals.CONT,
};

const ioClassNumbers: Record<IoClass, number> = { realtime: 1, best_effort: 2, idle: 3 };

/**
 * The handle is opened before the start time is read: if that matches, the handle refers to this process, or to one that has ended and
 * receives no signal. https://man7.org/linux/man-pages/man2/pidfd_send_signal.2.html
 */
export const processControlLinux = (host: LinuxHost): ProcessControl => {
  const { files, environment, clock } = host;

  const take = (calls: ProcessCalls, wanted: ProcessIdentity) => {
    if (!hasPidsOfCalls(host)) throw new ServiceError('unsupported', otherNumbers);
    const { id, start_time } = wanted;
    if (id === 1) throw new ServiceError('forbidden', 'Process 1 is the init process and cannot be changed');
    if (id === environment.pid)
      throw new ServiceError('forbidden', `Process ${id} is this service: use application.exit to stop it`);
    const handle = calls.open(id);
    if (typeof handle === 'number') throw processRefusalOf(handle, { id, verb: 'reached' }, host);
    const record = readProcessRecord(files, id);
    const refusal = whyNotThis(record, { id, start_time });
    if (record !== null && refusal === null) return { handle, record };
    handle.close();
    throw refusal ?? gone(id);
  };

  /** A priority is set by PID, so the start time is verified again afterwards. */
  const onEveryThread = (
    calls: ProcessCalls,
    wanted: ProcessIdentity,
    verb: string,
    set: (thread: number) => Errno,
  ): ProcessRecord => {
    const { handle, record } = take(calls, wanted);
    try {
      const done = new Set<number>();
      for (let before = -1; before !== done.size && done.size < mostThreads; ) {
        before = done.size;
        for (const thread of threadsOf(files.list(`/proc/${wanted.id}/task`), wanted.id)) {
          if (done.has(thread)) continue;
          done.add(thread);
          const errno = set(thread);
          if (errno === 0 || (errno === errnos.ESRCH && thread !== wanted.id)) continue;
          throw processRefusalOf(errno, { ...wanted, verb, name: record.name }, host);
        }
      }
      const after = nowOf(files, wanted, handle);
      if (after === null)
        throw new ServiceError(
          'conflict',
          `${quotedName(record.name)} (${wanted.id}) ended while its priority was being set`,
        );
      return after;
    } finally {
      handle.close();
    }
  };

  return {
    unavailable() {
      if (!hasPidsOfCalls(host)) return otherNumbers;
      // By the kernel version: a test call would load the library for every listing of the actions.
      const [major = 0, minor = 0] = environment.kernel.split('.').map(Number.parseFloat);
      return major > 5 || (major === 5 && minor >= 3) ? null : tooOld;
    },
    async signal(wanted, verb, expected) {
      const { handle, record } = take(await partOf(host, processCalls), wanted);
      try {
        if (expected !== undefined && expected !== record.name && expected !== wholeNameOf(files, record))
          throw new ServiceError(
            'conflict',
            `Process ${wanted.id} is called ${quotedName(record.name)}, not ${quotedName(expected)}. It was not changed`,
          );
        const errno = handle.send(numbers[verb]);
        if (errno !== 0) throw processRefusalOf(errno, { ...wanted, verb: 'signalled', name: record.name }, host);
        const until = clock.monotonic() + obeysWithinMs;
        let last = nowOf(files, wanted, handle);
        while (!obeyed(verb, last) && clock.monotonic() < until) {
          await sleep(clock, pollEveryMs);
          last = nowOf(files, wanted, handle);
        }
        const status = last === null ? 'ended' : stateInWords(last);
        return { name: record.name, status };
      } finally {
        handle.close();
      }
    },
    async setNice(wanted, nice) {
      const calls = await partOf(host, processCalls);
      return onEveryThread(calls, wanted, 'given this priority', (thread) => calls.setNice(thread, nice));
    },
    async setIoPriority(wanted, ioClass, level) {
      const calls = await partOf(host, processCalls);
      const value = (ioClassNumbers[ioClass] << 13) | level;
      return onEveryThread(calls, wanted, 'given this I/O priority', (thread) => calls.setIoPriority(thread, value));
    },
  };
};

/** null: it has ended, or another process has its PID. */
function nowOf(
  files: LinuxHost['files'],
  { id, start_time }: ProcessIdentity,
  handle: ProcessHandle,
): ProcessRecord | null {
  if (handle.send(0) === errnos.ESRCH) return null;
  const record = readProcessRecord(files, id);
  return record === null || record.start !== start_time || record.isZombie ? null : record;
}

function obeyed(verb: SignalVerb, record: ProcessRecord | null): boolean {
  if (record === null) return true;
  if (verb === 'stop') return record.state === 'T' || record.state === 't';
  return verb === 'continue' && record.state !== 'T';
}

/** The main thread comes first: a refusal occurs there, before anything has changed. */
function threadsOf(names: readonly string[], id: number): number[] {
  return [id, ...names.map(Number).filter((thread) => thread > 0 && thread !== id)];
}
