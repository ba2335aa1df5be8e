import { libc, openErrno } from '../../../host/linux/libc.ts';

/** errno; 0: success. https://man7.org/linux/man-pages/man3/errno.3.html */
export type Errno = number;

export const errnos = { EPERM: 1, ENOENT: 2, ESRCH: 3, EACCES: 13, EINVAL: 22, EMFILE: 24, ENOSYS: 38 } as const;
export const signals = { TERM: 15, KILL: 9, STOP: 19, CONT: 18 } as const;

/** Refers to one process, even after its PID is reused. */
export interface ProcessHandle {
  /** ESRCH: it has ended and was reaped. Signal 0 only checks that it exists. */
  send(signal: number): Errno;
  close(): void;
}

/** System calls on other processes. https://man7.org/linux/man-pages/man2/pidfd_open.2.html */
export interface ProcessCalls {
  open(pid: number): ProcessHandle | Errno;
  /** Of one thread; no such call takes a handle. */
  setNice(thread: number, nice: number): Errno;
  /** Class and level in one number, of one thread. */
  setIoPriority(thread: number, value: number): Errno;
  /** null: unknown. */
  ioPriority(thread: number): number | null;
}

/** Newer calls have the same number on all architectures. The C library has wrappers only since 2022. */
const pidfd_send_signal = 424;
const pidfd_open = 434;
/** Older ones differ: [ioprio_set, ioprio_get]. */
const ioPriorityCalls: Record<string, readonly [number, number]> = { x86_64: [251, 252], aarch64: [30, 31] };
const PRIO_PROCESS = 0;
const IOPRIO_WHO_PROCESS = 1;

/** `machine`: the architecture, as in `uname -m`. */
export function openProcessCalls(machine: string): ProcessCalls {
  const errno: () => Errno = openErrno();
  const resultOf = (returned: number): Errno => (returned >= 0 ? 0 : errno());
  const [setCall, getCall] = ioPriorityCalls[machine] ?? [null, null];
  return {
    open(pid) {
      const descriptor = libc.syscall(pidfd_open, pid, 0, 0, 0);
      if (descriptor < 0) return errno();
      return {
        send: (signal) => resultOf(libc.syscall(pidfd_send_signal, descriptor, signal, 0, 0)),
        close: () => void libc.close(descriptor),
      };
    },
    setNice: (thread, nice) => resultOf(libc.setpriority(PRIO_PROCESS, thread, nice)),
    setIoPriority: (thread, value) =>
      setCall === null ? errnos.ENOSYS : resultOf(libc.syscall(setCall, IOPRIO_WHO_PROCESS, thread, value, 0)),
    ioPriority(thread) {
      const value = getCall === null ? -1 : libc.syscall(getCall, IOPRIO_WHO_PROCESS, thread, 0, 0);
      return value < 0 ? null : value;
    },
  };
}
