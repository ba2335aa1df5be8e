import type { Clock } from '@hostler/io/clock.ts';
import type { X11 } from './connection.ts';
import { eventKind, eventMask, events, internAtoms, propertyChange, requests, x11Words } from './protocol.ts';
import { createHiddenWindow } from './selection.read.ts';

export interface OwnedSelection {
  /** Target → its bytes. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Another program owns the clipboard. */
  lost(): void;
  /** How long a program that fetches it in pieces may pause, ms. */
  silentMs: number;
  /** A property of our window; named after the program that uses this. */
  property: string;
}

const append = 2;
const atomType = 4;
const integerType = 19;
/** More goes in pieces of this size. */
const pieceBytes = 64 * 1024;
const mostTransfers = 16;

/** Owns the clipboard while the connection lasts. Throws where the server refuses. */
export async function ownClipboardSelection(x11: X11, clock: Clock, owned: OwnedSelection): Promise<void> {
  const { contents, lost, silentMs, property: ownProperty } = owned;
  const names = [...contents.keys()];
  const atoms = await internAtoms(x11, ['CLIPBOARD', 'TARGETS', 'TIMESTAMP', 'INCR', ownProperty, ...names]);
  const atom = (name: string) => atoms.get(name) ?? 0;
  const selection = atom('CLIPBOARD');
  const window = x11.firstId;
  const byTarget = new Map(names.map((name) => [atom(name), contents.get(name) ?? new Uint8Array()]));
  const transfers = new Map<string, Transfer>();
  const began = Promise.withResolvers<number>();

  const write = (to: number, property: number, type: number, format: 8 | 32, bytes: Uint8Array, mode = 0) => {
    const words = x11Words(to, property, type, format, bytes.length / (format / 8));
    x11.send(requests.changeProperty, mode, Buffer.concat([words, bytes]));
  };
  const watch = (requestor: number, mask: number) =>
    x11.send(requests.changeWindowAttributes, 0, x11Words(requestor, eventMask, mask));

  const finish = (key: string) => {
    const transfer = transfers.get(key);
    if (transfer === undefined) return;
    transfer.cancel();
    transfers.delete(key);
    if (![...transfers.values()].some(({ requestor }) => requestor === transfer.requestor))
      watch(transfer.requestor, 0);
  };
  const continueWith = (key: string, transfer: Transfer) => {
    const piece = transfer.bytes.subarray(transfer.at, transfer.at + pieceBytes);
    write(transfer.requestor, transfer.property, transfer.target, 8, piece);
    transfer.at += piece.length;
    // An empty piece is the end of it.
    if (piece.length === 0) return finish(key);
    transfer.cancel();
    transfer.cancel = clock.after(silentMs, () => finish(key));
  };

  /** The property it was written to; 0: it is refused. */
  const give = (requestor: number, target: number, property: number, since: number): number => {
    if (requestor === window) return 0;
    if (target === atom('TARGETS')) {
      const all = [target, atom('TIMESTAMP'), ...byTarget.keys()];
      write(requestor, property, atomType, 32, x11Words(...all));
      return property;
    }
    if (target === atom('TIMESTAMP')) {
      write(requestor, property, integerType, 32, x11Words(since));
      return property;
    }
    const bytes = byTarget.get(target);
    if (bytes === undefined) return 0;
    if (bytes.length <= pieceBytes) {
      write(requestor, property, target, 8, bytes);
      return property;
    }
    const key = `${requestor} ${property}`;
    if (transfers.size >= mostTransfers && !transfers.has(key)) return 0;
    transfers.get(key)?.cancel();
    watch(requestor, propertyChange);
    const cancel = clock.after(silentMs, () => finish(key));
    transfers.set(key, { requestor, property, target, bytes, at: 0, cancel });
    write(requestor, property, atom('INCR'), 32, x11Words(bytes.length));
    return property;
  };

  let since = 0;
  x11.onEvent((event) => {
    const kind = eventKind(event);
    if (kind === events.selectionClear && event.readUInt32LE(12) === selection) return lost();
    if (kind === events.propertyNotify) {
      const [from, property] = [event.readUInt32LE(4), event.readUInt32LE(8)];
      if (from === window) return began.resolve(event.readUInt32LE(12));
      const key = `${from} ${property}`;
      const transfer = transfers.get(key);
      if (event[16] === 1 && transfer !== undefined) continueWith(key, transfer);
      return;
    }
    if (kind !== events.selectionRequest) return;
    const [time, requestor, asked] = [event.readUInt32LE(4), event.readUInt32LE(12), event.readUInt32LE(16)];
    const [target, named] = [event.readUInt32LE(20), event.readUInt32LE(24)];
    // Old programs name no property.
    const property = asked === selection ? give(requestor, target, named === 0 ? target : named, since) : 0;
    const answer = x11Words(events.selectionNotify, time, requestor, asked, target, property, 0, 0);
    x11.send(requests.sendEvent, 0, Buffer.concat([x11Words(requestor, 0), answer]));
  });

  createHiddenWindow(x11, window);
  // Ownership needs a timestamp of the server, which comes with the event for this change.
  write(window, atom(ownProperty), integerType, 32, new Uint8Array(), append);
  const cancel = clock.after(silentMs, () => began.reject(new Error('the X server did not send a timestamp')));
  since = await began.promise.finally(cancel);
  x11.send(requests.setSelectionOwner, 0, x11Words(window, selection, since));
  const owner = await x11.ask(requests.getSelectionOwner, 0, x11Words(selection));
  if (owner.readUInt32LE(8) !== window) throw new Error('the X server gave the clipboard to another program');
}

interface Transfer {
  requestor: number;
  property: number;
  target: number;
  bytes: Uint8Array;
  at: number;
  cancel(): void;
}
