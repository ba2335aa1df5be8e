import type { Clock } from '@hostler/io/clock.ts';
import type { X11 } from './connection.ts';
import { eventKind, eventMask, events, internAtoms, propertyChange, requests, x11Words } from './protocol.ts';

/** The clipboard content of another program. https://www.x.org/releases/X11R7.7/doc/xorg-docs/icccm/icccm.html#Peer_to_Peer_Communication_by_Means_of_Selections */
export interface SelectionReader {
  /** The window of the owner; 0: no owner. */
  owner(): Promise<number>;
  /** Which of the known targets there are; null: the clipboard is empty. */
  offered(): Promise<Set<string> | null>;
  /** null: the owner refuses. */
  fetch(target: string, mostBytes: number): Promise<SelectionContent | null>;
  /**
   * Resolves when the owner has sent everything, which is discarded: leaving in the middle makes some programs hang,
   * and crashes those that do not expect that a window is gone.
   */
  leave(): Promise<void>;
}

export interface SelectionContent {
  bytes: Uint8Array;
  /** Truncated: the beginning of a longer content, whose transfer was aborted. */
  isCut: boolean;
}

export interface SelectionOptions {
  /** The property of our window that owners write to; named after the program that uses this. */
  property: string;
  /** How long the owner may send nothing. */
  silentMs: number;
  /** How long a whole transfer may take. */
  wholeMs: number;
}

const inputOnly = 2;
const mostTargets = 1024;

/** An invisible window that receives the content; its property changes are reported. */
export function createHiddenWindow(x11: X11, id: number): void {
  const size = Buffer.from([1, 0, 1, 0, 0, 0, inputOnly, 0]);
  x11.send(
    requests.createWindow,
    0,
    Buffer.concat([x11Words(id, x11.root, 0), size, x11Words(0, eventMask, propertyChange)]),
  );
}

/** `targets`: names of the targets of interest. */
export async function openSelectionReader(
  x11: X11,
  clock: Clock,
  targets: readonly string[],
  { property, silentMs, wholeMs }: SelectionOptions,
): Promise<SelectionReader> {
  const atoms = await internAtoms(x11, ['CLIPBOARD', 'TARGETS', 'INCR', property, ...targets]);
  const atom = (name: string) => atoms.get(name) ?? 0;
  const state: State = {
    x11,
    clock,
    silentMs,
    wholeMs,
    window: x11.firstId,
    selection: atom('CLIPBOARD'),
    place: atom(property),
    incremental: atom('INCR'),
    waiting: new Set(),
    ended: null,
    owed: 'nothing',
  };
  createHiddenWindow(x11, state.window);
  x11.onEvent((event) => {
    for (const one of state.waiting) if (one.fits(event)) one.resolve(event);
  });
  x11.onClosed((reason) => {
    state.ended = reason;
    for (const one of state.waiting) one.reject(reason);
  });
  const owner = async () => (await x11.ask(requests.getSelectionOwner, 0, x11Words(state.selection))).readUInt32LE(8);
  return {
    owner,
    async offered() {
      if ((await owner()) === 0) return null;
      const list = await fetch(state, atom('TARGETS'), 4 * mostTargets);
      // An owner that does not list its targets has text, as in old programs.
      if (list === null || list.isCut) return new Set(['STRING']);
      const { buffer, byteOffset, byteLength } = list.bytes;
      const view = new DataView(buffer, byteOffset, byteLength);
      const found = new Set(
        Array.from({ length: Math.floor(byteLength / 4) }, (_, index) => view.getUint32(4 * index, true)),
      );
      return new Set(targets.filter((name) => found.has(atom(name))));
    },
    fetch: (target, mostBytes) => fetch(state, atom(target), mostBytes),
    leave: () => leave(state),
  };
}

interface State {
  readonly x11: X11;
  readonly clock: Clock;
  readonly silentMs: number;
  readonly wholeMs: number;
  readonly window: number;
  readonly selection: number;
  /** The property of our window. */
  readonly place: number;
  readonly incremental: number;
  readonly waiting: Set<Waiting>;
  ended: Error | null;
  /** What the owner has not sent yet. */
  owed: 'nothing' | 'answer' | 'pieces';
}

interface Waiting {
  fits(event: Buffer): boolean;
  resolve(event: Buffer): void;
  reject(error: Error): void;
}

/** Call it before the request that causes the event. */
function listen({ waiting, ended, clock, silentMs }: State, fits: Waiting['fits']) {
  const arrived = Promise.withResolvers<Buffer>();
  const one: Waiting = { fits, ...arrived };
  if (ended !== null) one.reject(ended);
  waiting.add(one);
  const cancel = clock.after(silentMs, () => one.reject(silent(silentMs)));
  const stop = () => {
    cancel();
    waiting.delete(one);
  };
  const event = arrived.promise.finally(stop);
  event.catch(() => {});
  return { event, stop };
}

const isAnswer = ({ window, selection }: State, event: Buffer) =>
  eventKind(event) === events.selectionNotify &&
  event.readUInt32LE(8) === window &&
  event.readUInt32LE(12) === selection;

const isWritten = ({ window, place }: State, event: Buffer) =>
  eventKind(event) === events.propertyNotify &&
  event.readUInt32LE(4) === window &&
  event.readUInt32LE(8) === place &&
  event[16] === 0;

async function readProperty({ x11, window, place }: State, remove: boolean, words: number) {
  const reply = await x11.ask(requests.getProperty, remove ? 1 : 0, x11Words(window, place, 0, 0, words));
  return {
    type: reply.readUInt32LE(8),
    left: reply.readUInt32LE(12),
    bytes: reply.subarray(32, 32 + (reply.readUInt32LE(16) * (reply[1] ?? 0)) / 8),
  };
}

function removeProperty({ x11, window, place }: State): void {
  x11.send(requests.deleteProperty, 0, x11Words(window, place));
}

/** In pieces: deleting one requests the next. */
async function collect(state: State, mostBytes: number, until: number): Promise<SelectionContent> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const nextPiece = () => listen(state, (event) => isWritten(state, event));
  let next = nextPiece();
  state.owed = 'pieces';
  removeProperty(state);
  try {
    for (;;) {
      await next.event;
      if (state.clock.monotonic() > until) throw slow(state.wholeMs);
      next = nextPiece();
      const { bytes, left } = await readProperty(state, true, Math.ceil((mostBytes - size + 1) / 4));
      size += bytes.length;
      if (bytes.length === 0) state.owed = 'nothing';
      pieces.push(Buffer.from(bytes));
      const isCut = left > 0 || size > mostBytes;
      if (isCut || bytes.length === 0) return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), isCut };
    }
  } finally {
    next.stop();
  }
}

async function fetch(state: State, target: number, mostBytes: number): Promise<SelectionContent | null> {
  const { x11, window, selection, place } = state;
  const until = state.clock.monotonic() + state.wholeMs;
  removeProperty(state);
  const answer = listen(state, (event) => isAnswer(state, event));
  state.owed = 'answer';
  x11.send(requests.convertSelection, 0, x11Words(window, selection, target, place, 0));
  const written = (await answer.event).readUInt32LE(20);
  state.owed = 'nothing';
  if (written !== place) return null;
  const { type, left } = await readProperty(state, false, 0);
  if (type === state.incremental) return await collect(state, mostBytes, until);
  // Reading does not delete a longer property.
  const { bytes } = await readProperty(state, true, Math.ceil(mostBytes / 4));
  if (left > mostBytes) removeProperty(state);
  return { bytes: Buffer.from(bytes.subarray(0, mostBytes)), isCut: left > mostBytes };
}

async function leave(state: State): Promise<void> {
  const { x11, place } = state;
  if (state.owed === 'nothing' || state.ended !== null) return;
  const over = Promise.withResolvers<void>();
  x11.onClosed(() => over.resolve());
  x11.onEvent((event) => void discard(event).catch(() => over.resolve()));
  if (state.owed === 'pieces') removeProperty(state);
  await over.promise;

  async function discard(event: Buffer): Promise<void> {
    if (state.owed === 'answer') {
      if (!isAnswer(state, event)) return;
      const isIncremental =
        event.readUInt32LE(20) === place && (await readProperty(state, false, 0)).type === state.incremental;
      state.owed = isIncremental ? 'pieces' : 'nothing';
    } else if (!isWritten(state, event)) return;
    else if ((await readProperty(state, false, 0)).left === 0) state.owed = 'nothing';
    if (state.owed === 'nothing') over.resolve();
    else removeProperty(state);
  }
}

const silent = (ms: number) => new Error(`the program that owns the clipboard did not answer within ${ms / 1000} s`);
const slow = (ms: number) =>
  new Error(`the program that owns the clipboard needs more than ${ms / 1000} s to transfer it`);
