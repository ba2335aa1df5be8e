import fs from 'node:fs';

/**
 * Reads a table that the kernel generates while it is read, a page at a time: other work can run after each piece. Bytes become
 * Latin-1 characters. Uses its own descriptor, since a read at another offset restarts the table. null: not readable.
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
