/** Splits a stream into whole packets. Throws when one is longer than allowed, or has no valid length. */
export function createPacketSplitter(
  longest: number,
  packet: (bytes: Uint8Array) => void,
): (bytes: Uint8Array) => void {
  let buffered: Uint8Array = new Uint8Array(0);
  return (bytes) => {
    let rest = buffered.length === 0 ? bytes : join(buffered, bytes);
    for (;;) {
      const size = sizeOf(rest, longest);
      if (size === null || rest.length < size) break;
      const whole = rest.subarray(0, size);
      rest = rest.subarray(size);
      packet(whole);
    }
    // A copy: a small rest must not retain a large piece.
    buffered = rest.slice();
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

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
