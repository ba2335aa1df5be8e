import { type Library, openLibrary, readU32 } from '../ffi.ts';

/** Of GNU and of musl, on either architecture. */
const names = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

const signatures = {
  __errno_location: { args: [], returns: 'ptr' },
  adjtimex: { args: ['ptr'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  close: { args: ['i32'], returns: 'i32' },
  connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  epoll_create1: { args: ['i32'], returns: 'i32' },
  epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
  fcntl: { args: ['i32', 'i32', 'i64'], returns: 'i32' },
  getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  getxattr: { args: ['ptr', 'ptr', 'ptr', 'u64'], returns: 'i64' },
  ioctl: { args: ['i32', 'u64', 'u64'], returns: 'i32' },
  listen: { args: ['i32', 'i32'], returns: 'i32' },
  memfd_create: { args: ['ptr', 'u32'], returns: 'i32' },
  pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
  poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  recvmmsg: { args: ['i32', 'ptr', 'u32', 'i32', 'ptr'], returns: 'i32' },
  recvmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
  send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
  sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  setpriority: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  setxattr: { args: ['ptr', 'ptr', 'ptr', 'u64', 'i32'], returns: 'i32' },
  shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  syscall: { args: ['i64', 'i64', 'i64', 'i64', 'i64'], returns: 'i32' },
  timerfd_create: { args: ['i32', 'i32'], returns: 'i32' },
  timerfd_settime: { args: ['i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
} as const;

type Functions = Library<typeof signatures>['symbols'];

/** These functions of the C library; each costs time to bind. Throws without one. */
export function openLibc<N extends keyof Functions>(...wanted: N[]): Pick<Functions, N> {
  const library = openLibrary(names, Object.fromEntries(wanted.map((name) => [name, signatures[name]])));
  if (library === null) throw new Error('There is no C library (libc.so.6)');
  return library.symbols as Pick<Functions, N>;
}

/** Reads errno of this thread. Open it before the call, so that nothing runs between that and the read. */
export function openErrno(): () => number {
  const place = openLibc('__errno_location').__errno_location();
  if (typeof place !== 'number') throw new Error('The C library does not provide errno');
  return () => readU32(place);
}
