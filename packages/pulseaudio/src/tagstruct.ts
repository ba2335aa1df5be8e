/** Values of the PulseAudio native protocol. Each has a tag in front, so a message can be read without knowing its layout. */
export type PulseValue = number | string | boolean | null | PulseProperties | PulseVolume | Uint8Array;
export type PulseProperties = Map<string, string>;
/** 65536 is 100 %, for each channel. */
export type PulseVolume = number[];

export function encodeU32(value: number): Uint8Array {
  return tagged('L', u32(value));
}

export function encodeBytes(value: Uint8Array): Uint8Array {
  return Buffer.concat([tagged('x', u32(value.length)), value]);
}

export function encodeText(value: string | null): Uint8Array {
  return value === null ? Buffer.from('N') : tagged('t', Buffer.from(`${value}\0`));
}

export function encodeFlag(value: boolean): Uint8Array {
  return Buffer.from(value ? '1' : '0');
}

export function encodeVolume(value: PulseVolume): Uint8Array {
  return tagged('v', Buffer.concat([Buffer.from([value.length]), ...value.map(u32)]));
}

/** The values are texts, which end with a NUL here as well. */
export function encodeProperties(properties: Record<string, string>): Uint8Array {
  const entries = Object.entries(properties).flatMap(([key, value]) => {
    const bytes = Buffer.from(`${value}\0`);
    return [encodeText(key), encodeU32(bytes.length), encodeBytes(bytes)];
  });
  return tagged('P', Buffer.concat([...entries, encodeText(null)]));
}

const tagged = (tag: string, content: Uint8Array) => Buffer.concat([Buffer.from(tag), content]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Throws when the bytes are not what the protocol allows. */
export function decodeValues(bytes: Uint8Array): PulseValue[] {
  const cursor: Cursor = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 };
  const values: PulseValue[] = [];
  while (cursor.at < cursor.bytes.length) values.push(decodeValue(cursor));
  return values;
}

interface Cursor {
  bytes: Buffer;
  at: number;
}

function decodeValue(cursor: Cursor): PulseValue {
  const tag = String.fromCharCode(take(cursor, 1)[0] ?? 0);
  const decode = decoders[tag];
  if (decode === undefined) throw new Error(`it sent a value of the unknown type ${JSON.stringify(tag)}`);
  return decode(cursor);
}

const decoders: Record<string, (cursor: Cursor) => PulseValue> = {
  N: () => null,
  '1': () => true,
  '0': () => false,
  B: (cursor) => take(cursor, 1).readUInt8(),
  L: (cursor) => take(cursor, 4).readUInt32BE(),
  V: (cursor) => take(cursor, 4).readUInt32BE(),
  R: (cursor) => Number(take(cursor, 8).readBigUInt64BE()),
  r: (cursor) => Number(take(cursor, 8).readBigInt64BE()),
  U: (cursor) => Number(take(cursor, 8).readBigUInt64BE()),
  // Two whole numbers: seconds and microseconds.
  T: (cursor) => take(cursor, 8).readUInt32BE(),
  t: decodeText,
  x: (cursor) => take(cursor, take(cursor, 4).readUInt32BE()),
  // Sample format and channel positions are not used.
  a: (cursor) => take(cursor, 6),
  m: (cursor) => take(cursor, take(cursor, 1).readUInt8()),
  v: (cursor) => Array.from({ length: take(cursor, 1).readUInt8() }, () => take(cursor, 4).readUInt32BE()),
  P: decodeProperties,
  f: (cursor) => {
    decodeValue(cursor);
    return decodeValue(cursor);
  },
};

function decodeText(cursor: Cursor): string {
  const end = cursor.bytes.indexOf(0, cursor.at);
  if (end === -1) throw new Error('it sent an unterminated text');
  const text = cursor.bytes.toString('utf8', cursor.at, end);
  cursor.at = end + 1;
  return text;
}

function decodeProperties(cursor: Cursor): PulseProperties {
  const properties: PulseProperties = new Map();
  for (;;) {
    const key = decodeValue(cursor);
    if (key === null) return properties;
    decodeValue(cursor);
    const value = decodeValue(cursor);
    if (typeof key !== 'string' || !(value instanceof Uint8Array))
      throw new Error('it sent a malformed list of properties');
    properties.set(key, Buffer.from(value).toString('utf8').replace(/\0$/, ''));
  }
}

function take(cursor: Cursor, length: number): Buffer {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new Error('it sent a truncated message');
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}
