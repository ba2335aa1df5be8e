/** Bytes that arrive in pieces of any size. Each is copied a few times at most, however small the pieces are. */
export interface ByteQueue {
  append(piece: Uint8Array): void;
  /** Valid until the next call. */
  bytes(): Uint8Array;
  /** Removes this many from the beginning. */
  drop(count: number): void;
}

export function createByteQueue(): ByteQueue {
  let buffer = new Uint8Array(0);
  let used = 0;
  return {
    append(piece) {
      if (used + piece.length > buffer.length) {
        const larger = new Uint8Array(Math.max(2 * buffer.length, used + piece.length));
        larger.set(buffer.subarray(0, used));
        buffer = larger;
      }
      buffer.set(piece, used);
      used += piece.length;
    },
    bytes: () => buffer.subarray(0, used),
    drop(count) {
      // What a long message took is released.
      buffer = buffer.slice(count, used);
      used = buffer.length;
    },
  };
}

export interface Frame {
  opcode: number;
  isLast: boolean;
  payload: Uint8Array;
  /** Bytes of the whole frame. */
  bytes: number;
}

/** A frame of a server, https://www.rfc-editor.org/rfc/rfc6455#section-5.2. null: it is incomplete. */
export function readFrame(from: Uint8Array, mostBytes: number): Frame | 'too long' | 'invalid' | null {
  if (from.length < 2) return null;
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  const [first = 0, second = 0] = from;
  const opcode = first & 15;
  // A server does not mask, and control frames are short and whole.
  if (second >= 0x80 || (opcode >= 8 && (second > 125 || first < 0x80))) return 'invalid';
  const start = second < 126 ? 2 : second === 126 ? 4 : 10;
  if (from.length < start) return null;
  const length = second < 126 ? second : second === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
  if (length > mostBytes) return 'too long';
  if (from.length < start + length) return null;
  return { opcode, isLast: first >= 0x80, payload: from.subarray(start, start + length), bytes: start + length };
}
