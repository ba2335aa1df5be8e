import { bindOnUse, readU32 } from '../ffi.ts';

/** The C library of GNU or of musl, on either architecture. */
export const libc = bindOnUse(
  {
    'libc.so.6': {
      __errno_location: ['ptr'],
      adjtimex: ['i32', 'ptr'],
      bind: ['i32', 'i32', 'ptr', 'u32'],
      clock_gettime: ['i32', 'i32', 'ptr'],
      close: ['i32', 'i32'],
      connect: ['i32', 'i32', 'ptr', 'u32'],
      epoll_create1: ['i32', 'i32'],
      epoll_ctl: ['i32', 'i32', 'i32', 'i32', 'ptr'],
      fcntl: ['i32', 'i32', 'i32', 'i64'],
      getpeername: ['i32', 'i32', 'ptr', 'ptr'],
      getrlimit: ['i32', 'i32', 'ptr'],
      getsockname: ['i32', 'i32', 'ptr', 'ptr'],
      getsockopt: ['i32', 'i32', 'i32', 'i32', 'ptr', 'ptr'],
      getxattr: ['i64', 'ptr', 'ptr', 'ptr', 'u64'],
      ioctl: ['i32', 'i32', 'u64', 'u64'],
      listen: ['i32', 'i32', 'i32'],
      memfd_create: ['i32', 'ptr', 'u32'],
      pipe2: ['i32', 'ptr', 'i32'],
      poll: ['i32', 'ptr', 'u64', 'i32'],
      recv: ['i64', 'i32', 'ptr', 'u64', 'i32'],
      recvmmsg: ['i32', 'i32', 'ptr', 'u32', 'i32', 'ptr'],
      recvmsg: ['i64', 'i32', 'ptr', 'i32'],
      send: ['i64', 'i32', 'ptr', 'u64', 'i32'],
      sendmsg: ['i64', 'i32', 'ptr', 'i32'],
      sendto: ['i64', 'i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'],
      setpriority: ['i32', 'i32', 'i32', 'i32'],
      setsockopt: ['i32', 'i32', 'i32', 'i32', 'ptr', 'u32'],
      setxattr: ['i32', 'ptr', 'ptr', 'ptr', 'u64', 'i32'],
      shutdown: ['i32', 'i32', 'i32'],
      socket: ['i32', 'i32', 'i32', 'i32'],
      syscall: ['i32', 'i64', 'i64', 'i64', 'i64', 'i64'],
      timerfd_create: ['i32', 'i32', 'i32'],
      timerfd_settime: ['i32', 'i32', 'i32', 'ptr', 'ptr'],
    },
  },
  (name) => [name, 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'],
);

/** Reads errno of this thread. Open it before the call, so that nothing runs between that and the read. */
export function openErrno(): () => number {
  const place = libc.__errno_location();
  if (typeof place !== 'number') throw new Error('The C library does not provide errno');
  return () => readU32(place);
}
