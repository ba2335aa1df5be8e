import type { StartThread } from '../../../lib/thread.ts';
import type { Tray } from '../tray.contract.ts';
import type { TrayOrder, TrayReady } from './tray.thread.ts';

/** `wake` makes a window process its messages. */
export const createWindowsTray = (startThread: StartThread, wake: (window: number) => Promise<void>): Tray => ({
  async show({ tip, items }, { chosen }) {
    const ready = Promise.withResolvers<TrayReady>();
    const order: TrayOrder = { shared: new SharedArrayBuffer(4), tip, items: [...items] };
    const thread = await startThread('windows-tray', order, {
      message: (message) => (typeof message === 'string' ? chosen(message) : ready.resolve(message as TrayReady)),
      failed: (reason) => ready.reject(new Error(`the tray icon cannot be shown: ${reason}`)),
    });
    const { window, isShown } = await ready.promise;
    return {
      isShown,
      remove() {
        Atomics.store(new Int32Array(order.shared), 0, 1);
        void wake(window)
          .then(() => thread.end())
          .catch(() => {});
      },
    };
  },
});
