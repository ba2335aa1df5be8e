import type { ThreadJob } from '../../lib/thread.ts';
import { sharedNumbers, type WindowNote, type WindowsEvent } from './messages.ts';
import { openMessageWindow } from './native/message-window.ts';

/** Maximum delay of sleep and shutdown: Windows waits for about 2 s. */
const longestHoldMs = 2000;
/** Maximum delay of the end of the session: Windows considers a program hung after 5 s. */
const longestEndMs = 4500;

/** Receives the messages that Windows sends to every window, until it is ordered to end. */
export const receiveMessages: ThreadJob = async (post, shared) => {
  const numbers = new Int32Array(shared as SharedArrayBuffer);
  const { held: heldAt, over, clipboard } = sharedNumbers;
  const note = (message: WindowNote) => post(message);
  const receive = (event: WindowsEvent) => {
    post(event);
    // Windows ends the process when this returns; the service ends it, and this thread with it, before that.
    if (event === 'session-end') return void Atomics.wait(numbers, over, 0, longestEndMs);
    if (event !== 'sleep' && event !== 'shutdown') return;
    // Windows waits for the answer of the window; the followers finish their work meanwhile.
    const until = performance.now() + longestHoldMs;
    for (let held = Atomics.load(numbers, heldAt); held > 0; held = Atomics.load(numbers, heldAt)) {
      const left = until - performance.now();
      if (left <= 0 || Atomics.wait(numbers, heldAt, held, left) === 'timed-out') return;
    }
  };
  const window = openMessageWindow(receive, () => note({ copied: true }));
  let order = 0;
  /** On this thread, which owns the window. */
  const applyOrder = () => {
    const wanted = Atomics.load(numbers, clipboard);
    if (wanted === order) return;
    order = wanted;
    note({ order, listens: window.listenToClipboard(wanted !== 0) });
  };
  // Deferred: the thread must be ready for its own messages first.
  setTimeout(() => {
    note({ window: window.handle });
    while (Atomics.load(numbers, over) === 0) {
      applyOrder();
      window.wait();
    }
    window.close();
  }, 0);
  return { receive: () => {} };
};
