import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

export type ProcessRecord = NonNullable<ReturnType<typeof parseProcessRecord>>;

const PF_KTHREAD = 0x0020_0000;

/** null: no such process, or /proc hides it. */
export function readProcessRecord(files: Pick<Files, 'bytes'>, pid: number): ProcessRecord | null {
  const bytes = files.bytes(`/proc/${pid}/stat`);
  return bytes === null ? null : parseProcessRecord(Buffer.from(bytes).toString('latin1'), pid);
}

/**
 * One process, from /proc/PID/stat. `text`: one character per byte, because the name may not be UTF-8.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function parseProcessRecord(text: string, pid: number) {
  // No later field has brackets, so the last one ends the name.
  const close = text.lastIndexOf(')');
  const open = text.indexOf('(');
  const rest = text.slice(close + 2).split(' ');
  const state = rest[0] ?? '';
  // Numbered as in the manual: the field after the name is the third.
  const field = (number: number) => Number(rest[number - 3] ?? Number.NaN);
  const start = field(22);
  if (open < 1 || close < open || Number.isNaN(start)) return null;
  return {
    pid,
    /** The name in the kernel, at most 15 arbitrary bytes. */
    name: Buffer.from(text.slice(open + 1, close), 'latin1').toString(),
    /** A letter: R, S, D, T, Z … */
    state,
    parent: field(4),
    isKernelThread: (field(9) & PF_KTHREAD) !== 0,
    /** It has ended and was not reaped yet. A process whose first thread has ended before the others is alive. */
    isZombie: (state === 'Z' || state === 'X') && field(20) <= 1,
    /** Clock ticks of CPU time, in user and kernel mode. */
    ticks: field(14) + field(15),
    nice: field(19),
    residentPages: field(24),
    threads: field(20),
    /** Clock ticks after boot; together with the PID it identifies a process. */
    start,
  };
}

/** The terms of psutil, as in the module. */
export const processStates: Record<string, string> = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  X: 'dead',
  x: 'dead',
  K: 'wake-kill',
  W: 'waking',
  I: 'idle',
  P: 'parked',
};

export const stateInWords = ({ state }: Pick<ProcessRecord, 'state'>) => processStates[state] ?? 'unknown';

/** The kernel stores 15 bytes of a name; the path of the program may have the rest. */
export function wholeNameOf(files: Pick<Files, 'link'>, { pid, name }: Pick<ProcessRecord, 'pid' | 'name'>): string {
  if (Buffer.byteLength(name) < 15) return name;
  const program = placeOf(files, `/proc/${pid}/exe`)?.split('/').at(-1)?.slice(0, 255) ?? '';
  return program.startsWith(name) ? program : name;
}

/** Target of a link in /proc, without the mark of the kernel for removed files. */
export const placeOf = (files: Pick<Files, 'link'>, link: string): string | null =>
  files.link(link)?.replace(/ \(deleted\)$/, '') ?? null;

export const hasPidsOfCalls = ({ files, environment }: Pick<LinuxHost, 'files' | 'environment'>) =>
  hasOwnPids(files.text('/proc/self/status'), environment.pid);

/**
 * Whether /proc has the PIDs that system calls take. The /proc of a host, mounted into a container, has others: NSpid lists the PIDs of
 * this process from that namespace down to its own.
 */
export function hasOwnPids(status: string | null, pid: number): boolean {
  return /^NSpid:\t(\d+)$/m.exec(status ?? '')?.[1] === String(pid);
}
