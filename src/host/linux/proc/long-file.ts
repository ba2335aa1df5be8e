import fs from 'node:fs';

/**
 * Reads a table that the kernel writes while it is read, a page at a time: after each piece others may have their turn. Bytes become
 * characters one by one. Through a descriptor of its own, since for who reads on elsewhere the kernel begins anew. null: not readable.
 */
export function* readLong(file: string, buffer: () => Buffer): Generator<void, string | null> {
  const descriptor = open(file);
  if (descriptor === null) return null;
  try {
    let text = '';
    for (;;) {
      const piece = buffer();
      const length = fs.readSync(descriptor, piece, 0, piece.length, null);
      if (length === 0) return text;
      text += piece.toString('latin1', 0, length);
      yield;
    }
  } catch {
    return null;
  } finally {
    fs.closeSync(descriptor);
  }
}

function open(file: string): number | null {
  try {
    return fs.openSync(file, 'r');
  } catch {
    return null;
  }
}
