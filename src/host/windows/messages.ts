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

/** A hidden window in its own thread, while there are followers. `wake` makes the window check the shared numbers. */
export function createWindowsMessages(startThread: StartThread, wake: (window: number) => Promise<void>) {
  const state: State = {
    startThread,
    wake,
    followers: new Set(),
    copyListeners: new Set(),
    latest: unknownStates,
    held: 0,
    isEnding: false,
    running: null,
    orders: 0,
    ordered: null,
  };
  return {
    /** Resolves when events are received. `lost`: they are no longer received. */
    follow: (received: (event: WindowsEvent) => void, lost?: () => void) => follow(state, { received, lost }),
    /** Calls back whenever the content of the clipboard changes, once it has resolved. */
    followClipboard: (changed: () => void, lost: () => void) => followClipboard(state, changed, lost),
    /** The latest reported states while there are followers; null: none was reported. */
    latest: () => state.latest,
    /** Delays sleep and shutdown, as long as Windows allows, until the returned function is called. */
    delay(): () => void {
      hold(state, 1);
      let gone = false;
      return () => {
        if (gone) return;
        gone = true;
        hold(state, -1);
      };
    },
    close: () => end(state),
  };
}

interface Follower {
  received(event: WindowsEvent): void;
  lost?: (() => void) | undefined;
}

interface State {
  readonly startThread: StartThread;
  readonly wake: (window: number) => Promise<void>;
  readonly followers: Set<Follower>;
  readonly copyListeners: Set<() => void>;
  latest: { lidClosed: boolean | null; locked: boolean | null };
  held: number;
  isEnding: boolean;
  running: { thread: Promise<Thread>; ready: Promise<number>; shared: Int32Array } | null;
  orders: number;
  ordered: { order: number; listens: PromiseWithResolvers<boolean> } | null;
}

const unknownStates = { lidClosed: null, locked: null };

async function follow(state: State, follower: Follower): Promise<() => void> {
  state.followers.add(follower);
  state.running ??= start(state);
  try {
    await state.running.ready;
  } catch (error) {
    state.followers.delete(follower);
    throw error;
  }
  return () => {
    state.followers.delete(follower);
    if (state.followers.size === 0) end(state);
  };
}

async function followClipboard(state: State, changed: () => void, lost: () => void): Promise<() => void> {
  const unfollow = await follow(state, { received: () => {}, lost });
  // A new function each time: two callers may pass the same one.
  const copied = () => changed();
  state.copyListeners.add(copied);
  if (state.ordered === null) orderClipboard(state, true);
  const stop = () => {
    if (state.copyListeners.delete(copied) && state.copyListeners.size === 0) orderClipboard(state, false);
    unfollow();
  };
  if (await state.ordered?.listens.promise) return stop;
  stop();
  throw new Error('Windows does not report changes to the clipboard');
}

function start(state: State): NonNullable<State['running']> {
  const ready = Promise.withResolvers<number>();
  const shared = new Int32Array(new SharedArrayBuffer(12));
  shared[sharedNumbers.held] = state.held;
  const failed = (reason: string) => {
    ready.reject(new Error(`The messages of Windows cannot be received: ${reason}`));
    // A thread that was ended may have been replaced by now.
    if (state.running?.shared === shared) threadLost(state);
  };
  const thread = state.startThread('windows-messages', shared.buffer, {
    message: (message) =>
      typeof message === 'string'
        ? receive(state, message as WindowsEvent)
        : receiveNote(state, message as WindowNote, ready.resolve),
    failed,
  });
  thread.catch((error) => failed(messageOf(error)));
  ready.promise.catch(() => {});
  return { thread, ready: ready.promise, shared };
}

function receive(state: State, event: WindowsEvent): void {
  if (event === 'session-end') state.isEnding = true;
  if (event === 'lid-open' || event === 'lid-closed')
    state.latest = { ...state.latest, lidClosed: event === 'lid-closed' };
  if (event === 'lock' || event === 'unlock') state.latest = { ...state.latest, locked: event === 'lock' };
  for (const { received } of [...state.followers]) received(event);
}

function receiveNote(state: State, note: WindowNote, ready: (window: number) => void): void {
  if ('window' in note) ready(note.window);
  else if ('order' in note) {
    if (note.order === state.ordered?.order) state.ordered.listens.resolve(note.listens);
  } else for (const copied of [...state.copyListeners]) copied();
}

function threadLost(state: State): void {
  state.running = null;
  state.latest = unknownStates;
  state.copyListeners.clear();
  orderClipboard(state, false);
  const left = [...state.followers];
  // Before the callbacks: they may follow again at once.
  state.followers.clear();
  for (const follower of left) follower.lost?.();
}

function end(state: State): void {
  // Windows ends the process when the thread is gone: it stays until the service has shut down.
  if (state.running === null || state.isEnding) return;
  const { thread, ready, shared } = state.running;
  state.running = null;
  state.latest = unknownStates;
  Atomics.store(shared, sharedNumbers.over, 1);
  // The thread waits in the kernel for a message.
  void ready
    .then(state.wake)
    .then(() => thread)
    .then((started) => started.end())
    .catch(() => {});
}

function hold(state: State, more: 1 | -1): void {
  state.held += more;
  if (state.running === null) return;
  Atomics.store(state.running.shared, sharedNumbers.held, state.held);
  Atomics.notify(state.running.shared, sharedNumbers.held);
}

/** The window reads its order whenever it is woken. */
function orderClipboard(state: State, isWanted: boolean): void {
  state.ordered?.listens.resolve(false);
  state.orders += 1;
  state.ordered = isWanted ? { order: state.orders, listens: Promise.withResolvers() } : null;
  if (state.running === null) return;
  Atomics.store(state.running.shared, sharedNumbers.clipboard, state.ordered?.order ?? 0);
  void state.running.ready.then(state.wake).catch(() => {});
}
