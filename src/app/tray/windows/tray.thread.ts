import type { ThreadJob } from '../../../lib/thread.ts';
import type { TrayItem } from '../tray.contract.ts';
import { openTrayIcon } from './notify-icon.ts';

export interface TrayOrder {
  /** Its first number becomes 1 when the icon is to go. */
  shared: SharedArrayBuffer;
  tip: string;
  items: (TrayItem | null)[];
}

export interface TrayReady {
  window: number;
  isShown: boolean;
}

/** Shows an icon until it is to go. Texts that it says are what was chosen. */
export const showTrayIcon: ThreadJob = async (post, data) => {
  const { shared, tip, items } = data as TrayOrder;
  const over = new Int32Array(shared);
  const icon = openTrayIcon(tip, items, post);
  // First the thread has to be ready for its own messages.
  setTimeout(() => {
    const ready: TrayReady = { window: icon.handle, isShown: icon.isShown };
    post(ready);
    while (Atomics.load(over, 0) === 0) icon.wait();
    icon.close();
  }, 0);
  return { receive: () => {} };
};
