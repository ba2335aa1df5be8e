import type { Clock } from '@hostler/io/clock.ts';
import { internAtoms } from './atoms.ts';
import type { X11 } from './connection.ts';
import { x11Words } from './constants.ts';

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

const createWindow = 1;
const inputOnly = 2;
const eventMask = 1 << 11;
const propertyChange = 1 << 22;
const deleteProperty = 19;
const getProperty = 20;
const getSelectionOwner = 23;
const convertSelection = 24;
const propertyNotify = 28;
const selectionNotify = 31;
const mostTargets = 1024;

/** An invisible window that receives the content; its property changes are reported. */
export function createHiddenWindow(x11: X11, id: number): void {
  const size = Buffer.from([1, 0, 1, 0, 0, 0, inputOnly, 0]);
  x11.tell(createWindow, 0, Buffer.concat([x11Words(id, x11.root, 0), size, x11Words(0, eventMask, propertyChange)]));
}

/** `targets`: names of the targets of interest. */
export async function openSelectionReader(
  x11: X11,
  clock: Clock,
  targets: readonly string[],
  { property: placeName, silentMs, wholeMs }: SelectionOptions,
): Promise<SelectionReader> {
  const atoms = await internAtoms(x11, ['CLIPBOARD', 'TARGETS', 'INCR', placeName, ...targets]);
  const atom = (name: string) => atoms.get(name) ?? 0;
  const [selection, place] = [atom('CLIPBOARD'), atom(placeName)];
  const window = x11.firstId;
  const waiting = new Set<Waiting>();
  let ended: Error | null = null;
  let owed: 'nothing' | 'answer' | 'pieces' = 'nothing';
  createHiddenWindow(x11, window);
  x11.onEvent((event) => {
    for (const one of waiting) if (one.fits(event)) one.resolve(event);
  });
  x11.onClosed((reason) => {
    ended = reason;
    for (const one of waiting) one.reject(reason);
  });

  /** Call it before the request that causes the event. */
  const listen = (fits: Waiting['fits'], withinMs: number) => {
    const heard = Promise.withResolvers<Buffer>();
    const one: Waiting = { fits, ...heard };
    if (ended !== null) one.reject(ended);
    waiting.add(one);
    const cancel = clock.after(withinMs, () => one.reject(silent(silentMs)));
    const stop = () => {
      cancel();
      waiting.delete(one);
    };
    const event = heard.promise.finally(stop);
    event.catch(() => {});
    return { event, stop };
  };
  const isAnswer = (event: Buffer) =>
    ((event[0] ?? 0) & 0x7f) === selectionNotify &&
    event.readUInt32LE(8) === window &&
    event.readUInt32LE(12) === selection;
  const isWritten = (event: Buffer) =>
    ((event[0] ?? 0) & 0x7f) === propertyNotify &&
    event.readUInt32LE(4) === window &&
    event.readUInt32LE(8) === place &&
    event[16] === 0;

  const property = async (remove: boolean, words: number) => {
    const reply = await x11.ask(getProperty, remove ? 1 : 0, x11Words(window, place, 0, 0, words));
    return {
      type: reply.readUInt32LE(8),
      left: reply.readUInt32LE(12),
      bytes: reply.subarray(32, 32 + (reply.readUInt32LE(16) * (reply[1] ?? 0)) / 8),
    };
  };

  /** In pieces: deleting one requests the next. */
  const collect = async (mostBytes: number, until: number): Promise<SelectionContent> => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    let next = listen(isWritten, silentMs);
    owed = 'pieces';
    x11.tell(deleteProperty, 0, x11Words(window, place));
    try {
      for (;;) {
        await next.event;
        if (clock.monotonic() > until) throw slow(wholeMs);
        next = listen(isWritten, silentMs);
        const { bytes, left } = await property(true, Math.ceil((mostBytes - size + 1) / 4));
        size += bytes.length;
        if (bytes.length === 0) owed = 'nothing';
        pieces.push(Buffer.from(bytes));
        const isCut = left > 0 || size > mostBytes;
        if (isCut || bytes.length === 0) return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), isCut };
      }
    } finally {
      next.stop();
    }
  };

  const fetch = async (target: number, mostBytes: number): Promise<SelectionContent | null> => {
    const until = clock.monotonic() + wholeMs;
    x11.tell(deleteProperty, 0, x11Words(window, place));
    const answer = listen(isAnswer, silentMs);
    owed = 'answer';
    x11.tell(convertSelection, 0, x11Words(window, selection, target, place, 0));
    const written = (await answer.event).readUInt32LE(20);
    owed = 'nothing';
    if (written !== place) return null;
    const { type, left } = await property(false, 0);
    if (type === atom('INCR')) return await collect(mostBytes, until);
    // Reading does not delete a longer property.
    const { bytes } = await property(true, Math.ceil(mostBytes / 4));
    if (left > mostBytes) x11.tell(deleteProperty, 0, x11Words(window, place));
    return { bytes: Buffer.from(bytes.subarray(0, mostBytes)), isCut: left > mostBytes };
  };

  const owner = async () => (await x11.ask(getSelectionOwner, 0, x11Words(selection))).readUInt32LE(8);

  return {
    owner,
    async offered() {
      if ((await owner()) === 0) return null;
      const list = await fetch(atom('TARGETS'), 4 * mostTargets);
      // An owner that does not list its targets has text, as in old programs.
      if (list === null || list.isCut) return new Set(['STRING']);
      const { buffer, byteOffset, byteLength } = list.bytes;
      const view = new DataView(buffer, byteOffset, byteLength);
      const found = new Set(
        Array.from({ length: Math.floor(byteLength / 4) }, (_, index) => view.getUint32(4 * index, true)),
      );
      return new Set(targets.filter((name) => found.has(atom(name))));
    },
    fetch: (target, mostBytes) => fetch(atom(target), mostBytes),
    async leave() {
      if (owed === 'nothing' || ended !== null) return;
      const over = Promise.withResolvers<void>();
      const more = () => x11.tell(deleteProperty, 0, x11Words(window, place));
      const look = async (event: Buffer) => {
        if (owed === 'answer') {
          if (!isAnswer(event)) return;
          owed =
            event.readUInt32LE(20) === place && (await property(false, 0)).type === atom('INCR') ? 'pieces' : 'nothing';
        } else if (!isWritten(event)) return;
        else if ((await property(false, 0)).left === 0) owed = 'nothing';
        if (owed === 'nothing') over.resolve();
        else more();
      };
      x11.onClosed(() => over.resolve());
      x11.onEvent((event) => void look(event).catch(() => over.resolve()));
      if (owed === 'pieces') more();
      await over.promise;
    },
  };
}

interface Waiting {
  fits(event: Buffer): boolean;
  resolve(event: Buffer): void;
  reject(error: Error): void;
}

const silent = (ms: number) => new Error(`the program that owns the clipboard did not answer within ${ms / 1000} s`);
const slow = (ms: number) =>
  new Error(`the program that owns the clipboard needs more than ${ms / 1000} s to hand it over`);
