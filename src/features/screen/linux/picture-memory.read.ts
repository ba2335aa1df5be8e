import fs from 'node:fs';

/** Apart from picture-memory.ts, which loads FFI. null: the memory is shorter. */
export function readPictureMemory(descriptor: number, length: number): Uint8Array | null {
  const memory = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const read = fs.readSync(descriptor, memory, at, length - at, at);
    if (read === 0) return null;
    at += read;
  }
  return memory;
}
