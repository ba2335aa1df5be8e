import { address, followStream, pinned } from '../../ffi.ts';
import type { FollowWallClock } from '../../machine-events.ts';
import { libc } from '../libc.ts';

const CLOCK_REALTIME = 0;
const TFD_NONBLOCK = 0o4000;
const TFD_CLOEXEC = 0o2000000;
const TFD_TIMER_ABSTIME = 1;
const TFD_TIMER_CANCEL_ON_SET = 2;
/** Unix seconds in the distant future. */
const never = 1n << 33n;

/**
 * A timer that never expires, and that the kernel cancels when the clock is set or the machine resumes: until then nothing runs.
 * https://man7.org/linux/man-pages/man2/timerfd_create.2.html
 */
export const followWallClock: FollowWallClock = async (moved, lost) => {
  const calledOff = /\bECANCELED\b/;
  let stop = () => {};

  const begin = () => {
    const descriptor = libc.timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0) throw new Error('the system refused to create a timer');
    stop = followStream(descriptor, () => {}, ended);
    // struct itimerspec: no interval, and the moment.
    const moment = pinned(32);
    new DataView(moment.buffer).setBigInt64(16, never, true);
    const flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    if (libc.timerfd_settime(descriptor, flags, address(moment), null) === 0) return;
    stop();
    throw new Error('the system does not report when its clock is set');
  };

  const ended = (problem: string) => {
    try {
      if (!calledOff.test(problem)) return lost();
      begin();
      moved();
    } catch {
      lost();
    }
  };

  begin();
  return () => stop();
};
