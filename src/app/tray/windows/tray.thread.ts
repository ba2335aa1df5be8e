import type { ThreadJob } from '../../../lib/thread.ts';
import type { TrayItem } from '../tray.contract.ts';
import { openTrayIcon } from './notify-icon.ts';

export interface TrayOrder {
  /** Its first number becomes 1 to remove the icon. */
  shared: SharedArrayBuffer;
  tip: string;
  items: (TrayItem | null)[];
}

export interface TrayReady {
  window: number;
  isShown: boolean;
}

/** Shows an icon until it is removed. Its messages are the chosen ids. */
export const showTrayIcon: ThreadJob = async (post, data) => {
  const { shared, tip, items } = data as TrayOrder;
  const over = new Int32Array(shared);
  const icon = openTrayIcon(tip, items, post);
  // The thread has to be ready for its own messages first.
  setTimeout(() => {
    const ready: TrayReady = { window: icon.handle, isShown: icon.isShown };
    post(ready);
    while (Atomics.load(over, 0) === 0) icon.wait();
    icon.close();
  }, 0);
  return { receive: () => {} };
};
