import type { ThreadJob } from '../../lib/thread.ts';
import { sharedNumbers, type WindowNote, type WindowsEvent } from './messages.ts';
import { openMessageWindow } from './native/message-window.ts';

/** How long sleep and shutdown are held up at most: Windows waits for some 2 s. */
const longestHoldMs = 2000;
/** How long the end of the session is held up: Windows calls a program hung after 5 s. */
const longestEndMs = 4500;

/** Hears what Windows tells every window, until nobody wants to. */
export const hearMessages: ThreadJob = async (post, shared) => {
  const numbers = new Int32Array(shared as SharedArrayBuffer);
  const { held: heldAt, over, clipboard } = sharedNumbers;
  const note = (said: WindowNote) => post(said);
  const hear = (event: WindowsEvent) => {
    post(event);
    // Windows ends us when this returns. Whoever followed ends the process before that, and this thread with it.
    if (event === 'session-end') return void Atomics.wait(numbers, over, 0, longestEndMs);
    if (event !== 'sleep' && event !== 'shutdown') return;
    // Windows waits until the window has answered; who follows speaks their last words meanwhile.
    const until = performance.now() + longestHoldMs;
    for (let held = Atomics.load(numbers, heldAt); held > 0; held = Atomics.load(numbers, heldAt)) {
      const left = until - performance.now();
      if (left <= 0 || Atomics.wait(numbers, heldAt, held, left) === 'timed-out') return;
    }
  };
  const window = openMessageWindow(hear, () => note({ copied: true }));
  let order = 0;
  /** On this thread, to which the window belongs. */
  const heedOrder = () => {
    const wanted = Atomics.load(numbers, clipboard);
    if (wanted === order) return;
    order = wanted;
    note({ order, hears: window.hearClipboard(wanted !== 0) });
  };
  // First the thread has to be ready for its own messages.
  setTimeout(() => {
    note({ window: window.handle });
    while (Atomics.load(numbers, over) === 0) {
      heedOrder();
      window.wait();
    }
    window.close();
  }, 0);
  return { receive: () => {} };
};
