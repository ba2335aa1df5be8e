import { extentOf, largestHeader, largestMessage, startBytes } from './message.ts';

export interface FrameEvents {
  received(message: Buffer): void;
  /** A message above the limit, by its header alone; null: even that is too long. Its body is discarded. */
  skipped(header: Buffer | null): void;
}

/**
 * Assembles messages from the received pieces. Invalid data makes it throw BusError as soon as its
 * first bytes are there; the stream cannot be parsed any further.
 */
export function createFrames({ received, skipped }: FrameEvents): (bytes: Uint8Array) => void {
  let pieces: Uint8Array[] = [];
  let length = 0;
  // Joined only when complete: a large message arrives in hundreds of pieces.
  let needed = startBytes;
  /** Remaining bytes of a skipped message. */
  let unwanted = 0;

  /** The rest after the first message; null: it is incomplete. */
  const take = (bytes: Buffer): Buffer | null => {
    const { header, whole } = extentOf(bytes);
    const isTooLong = whole > largestMessage || header > largestHeader;
    needed = !isTooLong ? whole : header > largestHeader ? startBytes : header;
    if (bytes.length < needed) return null;
    if (!isTooLong) received(bytes.subarray(0, whole));
    else skipped(header > largestHeader ? null : bytes.subarray(0, header));
    unwanted = Math.max(0, whole - bytes.length);
    needed = startBytes;
    return bytes.subarray(whole - unwanted);
  };

  return (arrived) => {
    const bytes = arrived.subarray(Math.min(unwanted, arrived.length));
    unwanted -= arrived.length - bytes.length;
    if (bytes.length === 0) return;
    pieces.push(bytes);
    length += bytes.length;
    if (length < needed) return;
    const [first] = pieces;
    let rest = pieces.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pieces);
    needed = startBytes;
    while (rest.length >= startBytes) {
      const next = take(rest);
      if (next === null) break;
      rest = next;
    }
    pieces = rest.length === 0 ? [] : [rest];
    length = rest.length;
  };
}
