import { processStates } from './process-record.ts';

export type ProcessStat = ReturnType<typeof emptyStat>;

/** Fields of /proc/PID/stat. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export const emptyStat = () => ({
  /** Position of the name in the bytes. It may contain anything, including brackets, blanks and newlines. */
  nameFrom: 0,
  nameTo: 0,
  /** Character code of the letter. */
  state: 0,
  parent: 0,
  flags: 0,
  /** CPU time in user and kernel mode, clock ticks. */
  ticks: 0,
  threads: 0,
  /** Clock ticks after boot; together with the PID it identifies a process. */
  start: 0,
  residentPages: 0,
});

/** Fills `into`: creating an object would cost as much as the read. false: not a stat line. */
export function parseProcessStat(bytes: Uint8Array, length: number, into: ProcessStat): boolean {
  const open = bytes.indexOf(bracketOpen);
  // No later field has brackets, so the last one ends the name.
  const close = bytes.lastIndexOf(bracketClose, length - 1);
  if (open < 1 || close < open || close + 4 >= length) return false;
  into.nameFrom = open + 1;
  into.nameTo = close;
  into.state = bytes[close + 2] ?? 0;

  let field = 4;
  let value = 0;
  for (let at = close + 4; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== blank) {
      // Some unused fields have a sign.
      value = value * 10 + byte - zero;
      continue;
    }
    if (field === fields.parent) into.parent = value;
    else if (field === fields.flags) into.flags = value;
    else if (field === fields.userTicks) into.ticks = value;
    else if (field === fields.systemTicks) into.ticks += value;
    else if (field === fields.threads) into.threads = value;
    else if (field === fields.start) into.start = value;
    else if (field === fields.residentPages) {
      into.residentPages = value;
      return true;
    }
    field += 1;
    value = 0;
  }
  return false;
}

/** Numbered as in the manual. */
const fields = { parent: 4, flags: 9, userTicks: 14, systemTicks: 15, threads: 20, start: 22, residentPages: 24 };

const bracketOpen = 0x28;
const bracketClose = 0x29;
const blank = 0x20;
const zero = 0x30;

/** PF_KTHREAD of the kernel's sched.h. */
export const isKernelThread = ({ flags }: Pick<ProcessStat, 'flags'>) => (flags & 0x0020_0000) !== 0;

/** PF_FORKNOEXEC: still runs the program of its parent. */
export const runsParentsProgram = ({ flags }: Pick<ProcessStat, 'flags'>) => (flags & 0x40) !== 0;

/** A zombie, or about to be one: PF_EXITING. */
export const isEnding = ({ state, flags }: Pick<ProcessStat, 'state' | 'flags'>) =>
  state === zombie || (flags & 0x4) !== 0;

const zombie = 0x5a;
export const running = 0x52;

const byCode = new Map(Object.entries(processStates).map(([letter, word]) => [letter.charCodeAt(0), word]));

export const processStatusOf = ({ state }: Pick<ProcessStat, 'state'>) => byCode.get(state) ?? 'unknown';
