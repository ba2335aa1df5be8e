/** Reads the fields of one packet; throws where it is too short. */
export interface PacketReader {
  byte(): number;
  short(): number;
  long(): number;
  /** A number of one to four bytes, as lengths are written. */
  varint(): number;
  text(): string;
  data(): Uint8Array;
  rest(): Uint8Array;
  /** The next bytes as a packet of their own. */
  part(length: number): PacketReader;
  /** Bytes that were not read yet. */
  left(): number;
}

export function createPacketReader(bytes: Uint8Array): PacketReader {
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error('it is too short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const byte = () => take(1)[0] ?? 0;
  const short = () => byte() * 0x100 + byte();
  const data = () => take(short());
  return {
    byte,
    short,
    long: () => short() * 0x1_0000 + short(),
    varint() {
      let value = 0;
      for (let factor = 1; factor <= 128 ** 3; factor *= 128) {
        const next = byte();
        value += (next & 0x7f) * factor;
        if (next < 0x80) return value;
      }
      throw new Error('a length has more than four bytes');
    },
    text() {
      const text = decodeUtf8(data());
      if (text === null || text.includes('\0')) throw new Error('a text is not valid UTF-8');
      return text;
    },
    data,
    rest: () => take(bytes.length - at),
    part: (length) => createPacketReader(take(length)),
    left: () => bytes.length - at,
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** null: it is not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
