import { messageLength, startBytes } from './message.ts';

/**
 * Puts the pieces in which bytes arrive together to messages. What is no message makes it throw BusError as soon as its
 * first bytes are there; whoever wrote it cannot be understood any more.
 */
export function createFrames(heard: (message: Buffer) => void): (bytes: Uint8Array) => void {
  let pieces: Uint8Array[] = [];
  let length = 0;
  // Put together only when there is enough: a large message comes in hundreds of pieces.
  let needed = startBytes;
  return (bytes) => {
    pieces.push(bytes);
    length += bytes.length;
    if (length < needed) return;
    const [first] = pieces;
    let rest = pieces.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pieces);
    needed = startBytes;
    while (rest.length >= startBytes) {
      needed = messageLength(rest);
      if (rest.length < needed) break;
      heard(rest.subarray(0, needed));
      rest = rest.subarray(needed);
      needed = startBytes;
    }
    pieces = rest.length === 0 ? [] : [rest];
    length = rest.length;
  };
}
