/** Splits a stream into whole packets. */
export function createPacketSplitter(longest: number) {
  let current: Uint8Array = new Uint8Array(0);
  let added: Uint8Array[] = [];
  let addedBytes = 0;

  /** Joins only what completes the packet: a long packet in many pieces is copied once. */
  const complete = (): number | null => {
    for (;;) {
      const size = sizeOf(current, longest);
      if (size !== null && current.length >= size) return size;
      if (addedBytes === 0 || (size !== null && current.length + addedBytes < size)) return null;
      current = join([current, ...added], current.length + addedBytes);
      added = [];
      addedBytes = 0;
    }
  };

  return {
    /** Copies: the caller may reuse the memory. */
    add(bytes: Uint8Array) {
      if (bytes.length === 0) return;
      added.push(bytes.slice());
      addedBytes += bytes.length;
    },
    /** null: the next packet is incomplete. Throws when it is longer than allowed, or has no valid length. */
    next(): Uint8Array | null {
      const size = complete();
      if (size === null) {
        // A copy: a small rest must not retain a large piece.
        if (current.length < current.buffer.byteLength) current = current.slice();
        return null;
      }
      const packet = current.subarray(0, size);
      current = current.subarray(size);
      return packet;
    },
  };
}

/** The whole packet with its header; null: incomplete. */
function sizeOf(bytes: Uint8Array, longest: number): number | null {
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at];
    if (byte === undefined) return null;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if ((byte & 0x80) !== 0) continue;
    const size = 1 + at + length;
    if (size > longest) throw new Error(`The broker sent a packet of ${size} bytes; at most ${longest} are accepted`);
    return size;
  }
  throw new Error('The broker sent something that is not MQTT');
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
