import { createStops } from '../../lib/closing.ts';
import { messageOf } from '../../lib/errors.ts';
import type { StartThread, Thread } from '../../lib/thread.ts';

/**
 * `power`: the power supply or the power plan changed. `session-end`: the user logs off or the machine shuts down, which can no longer be cancelled;
 * Windows waits for this process for a few seconds. The others are sent before the change.
 */
export type WindowsEvent = Announced | 'session-end' | 'power' | 'lock' | 'unlock' | 'lid-open' | 'lid-closed';
type Announced = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled';

const machineEvents: readonly string[] = ['sleep', 'resume', 'shutdown', 'shutdown-cancelled'] satisfies Announced[];
export const isMachineEvent = (event: WindowsEvent): event is Announced => machineEvents.includes(event);

export type WindowsMessages = ReturnType<typeof createWindowsMessages>;

/**
 * Messages of the thread besides events: its window is open; the reply to an order to start or stop listening to the clipboard, with the number of the
 * order and whether the window listens now; the clipboard changed.
 */
export type WindowNote = { window: number } | { order: number; listens: boolean } | { copied: true };

/** Indexes of the numbers shared with the thread of the window. */
export const sharedNumbers = {
  /** Number of active delays; read while Windows calls the window. */
  held: 0,
  /** 1: the thread shall end. */
  over: 1,
  /** The order to listen to the clipboard, with a new number each time; 0: do not listen. */
  clipboard: 2,
};

const unknownStates: { lidClosed: boolean | null; locked: boolean | null } = { lidClosed: null, locked: null };

interface Follower {
  received(event: WindowsEvent): void;
  lost?: (() => void) | undefined;
}

/** A hidden window in its own thread, while there are followers. `wake` makes the window check the shared numbers. */
export function createWindowsMessages(startThread: StartThread, wake: (window: number) => Promise<void>) {
  const followers = new Set<Follower>();
  const copyListeners = new Set<() => void>();
  let latest = unknownStates;
  let held = 0;
  let isEnding = false;
  let running: { thread: Promise<Thread>; ready: Promise<number>; shared: Int32Array } | null = null;
  let orders = 0;
  let ordered: { order: number; listens: PromiseWithResolvers<boolean> } | null = null;

  const start = (): NonNullable<typeof running> => {
    const ready = Promise.withResolvers<number>();
    const shared = new Int32Array(new SharedArrayBuffer(12));
    shared[sharedNumbers.held] = held;
    const failed = (reason: string) => {
      ready.reject(new Error(`The messages of Windows cannot be received: ${reason}`));
      // A thread that was ended may have been replaced by now.
      if (running?.shared === shared) threadLost();
    };
    const thread = startThread('windows-messages', shared.buffer, {
      message: (message) =>
        typeof message === 'string'
          ? receive(message as WindowsEvent)
          : receiveNote(message as WindowNote, ready.resolve),
      failed,
    });
    thread.catch((error) => failed(messageOf(error)));
    ready.promise.catch(() => {});
    return { thread, ready: ready.promise, shared };
  };

  const end = () => {
    // Windows ends the process when the thread is gone: it stays until the service has shut down.
    if (running === null || isEnding) return;
    const { thread, ready, shared } = running;
    running = null;
    latest = unknownStates;
    Atomics.store(shared, sharedNumbers.over, 1);
    // The thread waits in the kernel for a message.
    void ready
      .then(wake)
      .then(() => thread)
      .then((started) => started.end())
      .catch(() => {});
  };

  const threadLost = () => {
    running = null;
    latest = unknownStates;
    copyListeners.clear();
    orderClipboard(false);
    const left = [...followers];
    // Before the callbacks: they may follow again at once.
    followers.clear();
    for (const follower of left) follower.lost?.();
  };

  const receive = (event: WindowsEvent) => {
    if (event === 'session-end') isEnding = true;
    if (event === 'lid-open' || event === 'lid-closed') latest = { ...latest, lidClosed: event === 'lid-closed' };
    if (event === 'lock' || event === 'unlock') latest = { ...latest, locked: event === 'lock' };
    for (const { received } of [...followers]) received(event);
  };

  const receiveNote = (note: WindowNote, ready: (window: number) => void) => {
    if ('window' in note) ready(note.window);
    else if ('order' in note) {
      if (note.order === ordered?.order) ordered.listens.resolve(note.listens);
    } else for (const copied of [...copyListeners]) copied();
  };

  /** The window reads its order whenever it is woken. */
  const orderClipboard = (isWanted: boolean) => {
    ordered?.listens.resolve(false);
    orders += 1;
    ordered = isWanted ? { order: orders, listens: Promise.withResolvers() } : null;
    if (running === null) return;
    Atomics.store(running.shared, sharedNumbers.clipboard, ordered?.order ?? 0);
    void running.ready.then(wake).catch(() => {});
  };

  const hold = (more: 1 | -1) => {
    held += more;
    if (running === null) return;
    Atomics.store(running.shared, sharedNumbers.held, held);
    Atomics.notify(running.shared, sharedNumbers.held);
  };

  const follow = async (follower: Follower): Promise<() => void> => {
    followers.add(follower);
    running ??= start();
    try {
      await running.ready;
    } catch (error) {
      followers.delete(follower);
      throw error;
    }
    return () => {
      followers.delete(follower);
      if (followers.size === 0) end();
    };
  };

  return {
    /** Resolves when events are received. `lost`: they are no longer received. */
    follow: (received: (event: WindowsEvent) => void, lost?: () => void) => follow({ received, lost }),
    /** Calls back whenever the content of the clipboard changes, once it has resolved. */
    async followClipboard(changed: () => void, lost: () => void): Promise<() => void> {
      const unfollow = await follow({ received: () => {}, lost });
      // A new function each time: two callers may pass the same one.
      const copied = () => changed();
      copyListeners.add(copied);
      if (ordered === null) orderClipboard(true);
      const stop = () => {
        if (copyListeners.delete(copied) && copyListeners.size === 0) orderClipboard(false);
        unfollow();
      };
      if (await ordered?.listens.promise) return stop;
      stop();
      throw new Error('Windows does not report changes to the clipboard');
    },
    /** The latest reported states while there are followers; null: none was reported. */
    latest: () => latest,
    /** Delays sleep and shutdown, as long as Windows allows, until the returned function is called. */
    delay(): () => void {
      hold(1);
      return createStops(() => hold(-1)).end;
    },
    close: end,
  };
}
