import { messageOf } from '../../lib/errors.ts';
import type { StartThread, Thread } from '../../lib/thread.ts';

/**
 * `power`: something about the power supply or the power plan has changed. `session-end`: the user logs off or the machine goes down, and nobody can call it off;
 * Windows waits for us, but not for long. The others come before it happens.
 */
export type WindowsEvent = Announced | 'session-end' | 'power' | DeskEvent;
type Announced = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled';
export type DeskEvent = 'lock' | 'unlock' | 'lid-open' | 'lid-closed';

const machineEvents: readonly string[] = ['sleep', 'resume', 'shutdown', 'shutdown-cancelled'] satisfies Announced[];
export const isMachineEvent = (event: WindowsEvent): event is Announced => machineEvents.includes(event);

export interface WindowsMessages {
  /** Resolves when they are heard. `lost`: they are not heard any more. */
  follow(heard: (event: WindowsEvent) => void, lost?: () => void): Promise<() => void>;
  /** Calls back whenever something is put onto the clipboard, from when it resolves on. */
  followClipboard(changed: () => void, lost: () => void): Promise<() => void>;
  /** What was told last of these, as long as anybody follows; null: nothing was. */
  told(): { lidClosed: boolean | null; locked: boolean | null };
  /** Makes sleep and shutdown wait for us, as long as Windows allows, until the returned function is called. */
  delay(): () => void;
  close(): void;
}

/**
 * What the thread says beside its events. First: its window is there. Then, whenever it was ordered to hear of the clipboard, or not any more: the number
 * of that order, and whether Windows lets it. Something was copied.
 */
export type WindowNote = { window: number } | { order: number; hears: boolean } | { copied: true };

/** Numbers that this thread and the one of the window share. */
export const sharedNumbers = {
  /** How many want Windows to wait; seen while Windows calls the window. */
  held: 0,
  /** 1: it is over. */
  over: 1,
  /** The order to hear of the clipboard, which has another number each time; 0: nobody wants to. */
  clipboard: 2,
};

interface Follower {
  heard(event: WindowsEvent): void;
  lost?: (() => void) | undefined;
}

/** A hidden window in a thread of its own, while anybody follows. `wake` makes a window look around. */
export function createWindowsMessages(
  startThread: StartThread,
  wake: (window: number) => Promise<void>,
): WindowsMessages {
  const followers = new Set<Follower>();
  let held = 0;
  let isEnding = false;
  const nothingTold = { lidClosed: null, locked: null };
  let told: ReturnType<WindowsMessages['told']> = nothingTold;
  let running: { thread: Promise<Thread>; ready: Promise<number>; shared: Int32Array } | null = null;
  const copyListeners = new Set<() => void>();
  let orders = 0;
  let ordered: { order: number; hears: PromiseWithResolvers<boolean> } | null = null;

  const lost = () => {
    running = null;
    told = nothingTold;
    copyListeners.clear();
    orderClipboard(false);
    const left = [...followers];
    // Before they are told: whoever follows again at once is not one of them.
    followers.clear();
    for (const follower of left) follower.lost?.();
  };
  const start = () => {
    const ready = Promise.withResolvers<number>();
    const shared = new Int32Array(new SharedArrayBuffer(12));
    shared[sharedNumbers.held] = held;
    const note = (said: WindowNote) => {
      if ('window' in said) ready.resolve(said.window);
      else if ('order' in said) {
        if (said.order === ordered?.order) ordered.hears.resolve(said.hears);
      } else for (const copied of [...copyListeners]) copied();
    };
    const failed = (reason: string) => {
      ready.reject(new Error(`Windows' messages cannot be heard: ${reason}`));
      // One that had been let go may have been replaced by now.
      if (running?.shared === shared) lost();
    };
    const thread = startThread('windows-messages', shared.buffer, {
      message(message) {
        if (typeof message !== 'string') return note(message as WindowNote);
        if (message === 'session-end') isEnding = true;
        if (message === 'lid-open' || message === 'lid-closed') told = { ...told, lidClosed: message === 'lid-closed' };
        if (message === 'lock' || message === 'unlock') told = { ...told, locked: message === 'lock' };
        for (const { heard } of [...followers]) heard(message as WindowsEvent);
      },
      failed,
    });
    thread.catch((error) => failed(messageOf(error)));
    ready.promise.catch(() => {});
    return { thread, ready: ready.promise, shared };
  };
  const end = () => {
    // Windows waits for the thread, and ends the process when it is gone: it stays until everything is done.
    if (running === null || isEnding) return;
    const { thread, ready, shared } = running;
    running = null;
    told = nothingTold;
    Atomics.store(shared, sharedNumbers.over, 1);
    // It waits in the kernel until something comes.
    void ready
      .then(wake)
      .then(() => thread)
      .then((started) => started.end())
      .catch(() => {});
  };
  const hold = (more: 1 | -1) => {
    held += more;
    if (running === null) return;
    Atomics.store(running.shared, sharedNumbers.held, held);
    Atomics.notify(running.shared, sharedNumbers.held);
  };
  /** The window looks for its order whenever it is woken. */
  const orderClipboard = (isWanted: boolean) => {
    ordered?.hears.resolve(false);
    orders += 1;
    ordered = isWanted ? { order: orders, hears: Promise.withResolvers() } : null;
    if (running === null) return;
    Atomics.store(running.shared, sharedNumbers.clipboard, ordered?.order ?? 0);
    void running.ready.then(wake).catch(() => {});
  };
  const leave = (follower: Follower) => {
    followers.delete(follower);
    if (followers.size === 0) end();
  };

  const follow: WindowsMessages['follow'] = async (heard, onLost) => {
    const follower = { heard, lost: onLost };
    followers.add(follower);
    running ??= start();
    try {
      await running.ready;
    } catch (error) {
      followers.delete(follower);
      throw error;
    }
    return () => leave(follower);
  };

  return {
    follow,
    async followClipboard(changed, onLost) {
      const unfollow = await follow(() => {}, onLost);
      // Another one each time: two may follow with the same function.
      const copied = () => changed();
      copyListeners.add(copied);
      if (ordered === null) orderClipboard(true);
      const stop = () => {
        if (copyListeners.delete(copied) && copyListeners.size === 0) orderClipboard(false);
        unfollow();
      };
      if (await ordered?.hears.promise) return stop;
      stop();
      throw new Error('Windows does not report changes to the clipboard');
    },
    told: () => told,
    delay() {
      hold(1);
      let gone = false;
      return () => {
        if (gone) return;
        gone = true;
        hold(-1);
      };
    },
    close: end,
  };
}
