import type { ThreadJob } from '../../lib/thread.ts';
import type { WindowReady, WindowsEvent } from './messages.ts';
import { openMessageWindow } from './native/message-window.ts';

/** How long sleep and shutdown are held up at most: Windows waits for some 2 s. */
const longestHoldMs = 2000;
/** How long the end of the session is held up: Windows calls a program hung after 5 s. */
const longestEndMs = 4500;

/** Hears what Windows tells every window, until nobody wants to. */
export const hearMessages: ThreadJob = async (post, shared) => {
  const holds = new Int32Array(shared as SharedArrayBuffer);
  const hear = (event: WindowsEvent) => {
    post(event);
    // Windows ends us when this returns. Whoever followed ends the process before that, and this thread with it.
    if (event === 'session-end') return void Atomics.wait(holds, 1, 0, longestEndMs);
    if (event !== 'sleep' && event !== 'shutdown') return;
    // Windows waits until the window has answered; who follows speaks their last words meanwhile.
    const until = performance.now() + longestHoldMs;
    for (let held = Atomics.load(holds, 0); held > 0; held = Atomics.load(holds, 0)) {
      const left = until - performance.now();
      if (left <= 0 || Atomics.wait(holds, 0, held, left) === 'timed-out') return;
    }
  };
  const window = openMessageWindow(hear);
  // First the thread has to be ready for its own messages.
  setTimeout(() => {
    const ready: WindowReady = { window: window.handle };
    post(ready);
    while (Atomics.load(holds, 1) === 0) window.wait();
    window.close();
  }, 0);
  return { receive: () => {} };
};
