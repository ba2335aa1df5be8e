/** Encodes messages of a compositor. https://wayland.freedesktop.org/docs/html/ch04.html#sect-Protocol-Wire-Format */
export const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};

export const text = (value: string) => {
  const bytes = Buffer.from(`${value}\0`);
  return Buffer.concat([word(bytes.length), bytes, Buffer.alloc(-bytes.length & 3)]);
};

export const message = (object: number, opcode: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([word(object), word(((body.length + 8) << 16) | opcode), body]);
};
