import type { ThreadJob } from '../../lib/thread.ts';
import type { WindowReady, WindowsEvent } from './messages.ts';
import { openMessageWindow } from './native/message-window.ts';

/** How long sleep and shutdown are held up at most: Windows waits for some 2 s. */
const longestHoldMs = 2000;
/** How often is looked whether anybody still wants to hear. */
const lookEveryMs = 1000;

/** Hears what Windows tells every window, until nobody wants to. */
export const hearMessages: ThreadJob = async (post, shared) => {
  const holds = new Int32Array(shared as SharedArrayBuffer);
  const hear = (event: WindowsEvent) => {
    post(event);
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
    const ready: WindowReady = { ready: true };
    post(ready);
    while (Atomics.load(holds, 1) === 0) window.wait(lookEveryMs);
    window.close();
  }, 0);
  return { receive: () => {} };
};
