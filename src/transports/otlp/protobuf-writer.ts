/** Writes a protocol buffers message from its end to its start, so that the length of a part is known before its header. */
export interface ProtobufWriter {
  text(field: number, value: string): void;
  varint(field: number, value: number): void;
  /** A 64-bit integer. */
  fixed(field: number, value: bigint): void;
  double(field: number, value: number): void;
  /** `write` writes the fields of a nested message, the last one first. */
  message(field: number, write: () => void): void;
  finish(): Uint8Array<ArrayBuffer>;
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2 };

/** https://protobuf.dev/programming-guides/encoding/ */
export function createProtobufWriter(): ProtobufWriter {
  let bytes = new Uint8Array(16 * 1024);
  let view = new DataView(bytes.buffer);
  let at = bytes.length;
  const encoder = new TextEncoder();

  const room = (size: number) => {
    if (at >= size) return;
    const used = bytes.length - at;
    const larger = new Uint8Array(Math.max(bytes.length * 2, used + size));
    larger.set(bytes.subarray(at), larger.length - used);
    bytes = larger;
    view = new DataView(bytes.buffer);
    at = bytes.length - used;
  };

  /** A non-negative integer up to 2^53. */
  const number = (value: number) => {
    room(10);
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    at -= size;
    let rest = value;
    for (let index = 0; index < size; index += 1) {
      bytes[at + index] = (rest % 128) | (index + 1 < size ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
  };

  const tag = (field: number, type: number) => number(field * 8 + type);

  return {
    text(field, value) {
      const encoded = encoder.encode(value);
      room(encoded.length);
      at -= encoded.length;
      bytes.set(encoded, at);
      number(encoded.length);
      tag(field, wireTypes.bytes);
    },
    varint(field, value) {
      number(value);
      tag(field, wireTypes.varint);
    },
    fixed(field, value) {
      room(8);
      at -= 8;
      view.setBigInt64(at, value, true);
      tag(field, wireTypes.fixed64);
    },
    double(field, value) {
      room(8);
      at -= 8;
      view.setFloat64(at, value, true);
      tag(field, wireTypes.fixed64);
    },
    message(field, write) {
      const behind = bytes.length - at;
      write();
      number(bytes.length - at - behind);
      tag(field, wireTypes.bytes);
    },
    finish: () => bytes.slice(at),
  };
}
