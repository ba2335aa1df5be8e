import fs from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import { address, followSocket, pinned } from '../../ffi.ts';
import { openLibc } from '../libc.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLPRI = 0x2;

/** Changes come in flocks: the first is told at once, the others together. */
const apartMs = 200;
/** When descriptors are short, for example. */
const retryMs = 10_000;

/** When a file says that nothing has changed any more: by itself once it has told, or when it is read again. */
export type UrgentFile = 'tells-once' | 'tells-until-read';

/**
 * Some files of the kernel announce their changes as urgent data, for which the runtime's event loop has no ear. But it hears when
 * something happens on a descriptor that native code made, and an epoll descriptor can be one: reading from it fails, so it is
 * closed, and that is the announcement. Neither a thread nor a timer. The table of mounts tells once
 * (https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html), that of RAID arrays (https://docs.kernel.org/admin-guide/md.html) and the files of /sys
 * (https://docs.kernel.org/filesystems/sysfs.html) until they are read.
 */
export async function followUrgent(
  file: string,
  kind: UrgentFile,
  clock: Clock,
  changed: () => void,
): Promise<() => void> {
  const { epoll_create1, epoll_ctl } = openLibc({
    epoll_create1: { args: ['i32'], returns: 'i32' },
    epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
  });
  // struct epoll_event: what to hear comes first, with and without padding.
  const event = pinned(16);
  new DataView(event.buffer).setUint32(0, EPOLLPRI, true);
  const descriptor = fs.openSync(file, 'r');
  const unheeded = Buffer.alloc(64);
  let stopListening = () => {};
  let cancelNext = () => {};
  let stopped = false;
  let reading = false;

  const close = () => {
    // The number must not become another file's while it is read.
    if (stopped && !reading) fs.closeSync(descriptor);
  };

  const heed = async () => {
    reading = true;
    const done = Promise.withResolvers<void>();
    // What is read does not matter, nor that it cannot be read now.
    fs.read(descriptor, unheeded, 0, unheeded.length, 0, () => done.resolve());
    await done.promise;
    reading = false;
    close();
  };

  const listen = async (): Promise<void> => {
    // Before it is listened to: what changes in between is heard then.
    if (kind === 'tells-until-read') await heed();
    if (stopped) return;
    const epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) throw new Error(`${file} cannot be followed: no epoll descriptor is to be had`);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, address(event)) !== 0) {
      fs.closeSync(epoll);
      throw new Error(`${file} does not announce its changes`);
    }
    const stop = await followSocket(epoll, () => {}, heard);
    if (stopped) stop();
    else stopListening = stop;
  };

  const listenAfter = (ms: number) => {
    cancelNext = clock.after(ms, () => {
      listen().then(
        // What came while nobody listened is not announced again.
        () => stopped || changed(),
        () => stopped || listenAfter(retryMs),
      );
    });
  };

  const heard = () => {
    if (stopped) return;
    changed();
    listenAfter(apartMs);
  };

  const stop = () => {
    if (stopped) return;
    stopped = true;
    cancelNext();
    stopListening();
    close();
  };

  try {
    await listen();
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
