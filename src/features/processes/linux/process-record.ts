import type { Files } from '../../../host/linux/files.ts';

/** One process, as /proc/PID/stat tells when somebody asks about just this one. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export interface ProcessRecord {
  pid: number;
  /** The kernel's own name of it, at most 15 bytes of anything. */
  name: string;
  /** A letter: R, S, D, T, Z … */
  state: string;
  parent: number;
  isKernelThread: boolean;
  /** It has ended, and its parent has not asked how. */
  isZombie: boolean;
  /** Clock ticks of CPU time, in user and kernel mode. */
  ticks: number;
  nice: number;
  residentPages: number;
  threads: number;
  /** Clock ticks after boot: together with the number it tells processes apart. */
  start: number;
}

const PF_KTHREAD = 0x0020_0000;

/** null: there is no such process, or /proc keeps it from us. */
export function readProcessRecord(files: Pick<Files, 'bytes'>, pid: number): ProcessRecord | null {
  const bytes = files.bytes(`/proc/${pid}/stat`);
  return bytes === null ? null : parseProcessRecord(Buffer.from(bytes).toString('latin1'), pid);
}

/** `text`: a character for each byte, since the name need not be UTF-8. */
export function parseProcessRecord(text: string, pid: number): ProcessRecord | null {
  // No later field has brackets: the last one ends the name, whatever that contains.
  const close = text.lastIndexOf(')');
  const open = text.indexOf('(');
  const rest = text.slice(close + 2).split(' ');
  const state = rest[0] ?? '';
  // As the manual counts them: the first one behind the name is the third.
  const field = (number: number) => Number(rest[number - 3] ?? Number.NaN);
  const start = field(22);
  if (open < 1 || close < open || Number.isNaN(start)) return null;
  return {
    pid,
    name: Buffer.from(text.slice(open + 1, close), 'latin1').toString(),
    state,
    parent: field(4),
    isKernelThread: (field(9) & PF_KTHREAD) !== 0,
    // The first thread may have ended before the others: then the process is alive.
    isZombie: (state === 'Z' || state === 'X') && field(20) <= 1,
    ticks: field(14) + field(15),
    nice: field(19),
    residentPages: field(24),
    threads: field(20),
    start,
  };
}

/** The words of psutil, as the module has them. */
const states: Record<string, string> = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  X: 'dead',
  I: 'idle',
  P: 'parked',
};

export const stateInWords = ({ state }: Pick<ProcessRecord, 'state'>) => states[state] ?? 'unknown';

/** The kernel keeps 15 bytes of a name; the program may have the rest. */
export function wholeNameOf(files: Pick<Files, 'link'>, { pid, name }: Pick<ProcessRecord, 'pid' | 'name'>): string {
  if (Buffer.byteLength(name) < 15) return name;
  const program = placeOf(files, `/proc/${pid}/exe`)?.split('/').at(-1)?.slice(0, 255) ?? '';
  return program.startsWith(name) ? program : name;
}

/** Where a link of /proc leads; the kernel marks what was removed or replaced since. */
export const placeOf = (files: Pick<Files, 'link'>, link: string): string | null =>
  files.link(link)?.replace(/ \(deleted\)$/, '') ?? null;

/**
 * Whether /proc has the numbers that system calls take. The /proc of a host, mounted into a container, has others: NSpid lists ours from its
 * namespace down to our own.
 */
export function hasOurNumbers(status: string | null, pid: number): boolean {
  return /^NSpid:\t(\d+)$/m.exec(status ?? '')?.[1] === String(pid);
}
