import fs from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import { address, followSocket, pinned } from '../../ffi.ts';
import { libc } from '../libc.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLPRI = 0x2;

/** Changes come in bursts: the first is reported at once, the others together. */
const apartMs = 200;
/** After a failure, such as a lack of descriptors. */
const retryMs = 10_000;

/** What resets the announcement of a file: the announcement itself, or reading it again. */
export type UrgentFile = 'announces-once' | 'announces-until-read';

/**
 * Some files of the kernel announce changes as urgent data, which the runtime's event loop does not poll for. But it notices when
 * a descriptor of native code becomes readable, which can be an epoll descriptor: reading from it fails, so it is
 * closed, and that is the announcement. Neither a thread nor a timer. The table of mounts announces a change once
 * (https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html), that of RAID arrays (https://docs.kernel.org/admin-guide/md.html) and the files of /sys
 * (https://docs.kernel.org/filesystems/sysfs.html) until they are read.
 */
export async function followUrgent(
  file: string,
  kind: UrgentFile,
  clock: Clock,
  changed: () => void,
): Promise<() => void> {
  // struct epoll_event: the events come first, with and without padding.
  const event = pinned(16);
  new DataView(event.buffer).setUint32(0, EPOLLPRI, true);
  const descriptor = fs.openSync(file, 'r');
  const discarded = Buffer.alloc(64);
  let stopListening = () => {};
  let cancelNext = () => {};
  let stopped = false;
  let reading = false;

  const close = () => {
    // The number must not be reused for another file while it is read.
    if (stopped && !reading) fs.closeSync(descriptor);
  };

  const acknowledge = async () => {
    reading = true;
    const done = Promise.withResolvers<void>();
    // Neither the content nor a failure matters.
    fs.read(descriptor, discarded, 0, discarded.length, 0, () => done.resolve());
    await done.promise;
    reading = false;
    close();
  };

  const listen = async (): Promise<void> => {
    // Before it is watched: a change in between is announced then.
    if (kind === 'announces-until-read') await acknowledge();
    if (stopped) return;
    const epoll = libc.epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) throw new Error(`${file} cannot be followed: no epoll descriptor is available`);
    if (libc.epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, address(event)) !== 0) {
      fs.closeSync(epoll);
      throw new Error(`${file} does not announce its changes`);
    }
    const stop = await followSocket(epoll, () => {}, announced);
    if (stopped) stop();
    else stopListening = stop;
  };

  const listenAfter = (ms: number) => {
    cancelNext = clock.after(ms, () => {
      listen().then(
        // Changes between two watches are not announced again.
        () => stopped || changed(),
        () => stopped || listenAfter(retryMs),
      );
    });
  };

  const announced = () => {
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
