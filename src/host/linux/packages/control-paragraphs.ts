/** Longer than any real paragraph by far; what goes on and on is given up. */
const longest = 4 * 1024 * 1024;

/**
 * Calls back with each paragraph of a Debian control file. The bytes are good during the call only. All of them go through one buffer:
 * a new one for every piece would be garbage of twice the length of the list.
 */
export async function eachParagraph(
  pieces: AsyncIterable<Uint8Array>,
  take: (paragraph: Buffer) => void,
  /** Where a paragraph begins with its name, whether it is worth a look. */
  isWanted: (name: string) => boolean = () => true,
): Promise<void> {
  let buffer = Buffer.allocUnsafeSlow(256 * 1024);
  let length = 0;
  for await (const piece of pieces) {
    if (length + piece.length > buffer.length) {
      if (length > longest) throw new Error('one of its paragraphs does not end');
      const larger = Buffer.allocUnsafeSlow(2 * (length + piece.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    buffer.set(piece, length);
    length += piece.length;
    const start = takeWhole(buffer, length, take, isWanted);
    buffer.copyWithin(0, start, length);
    length -= start;
  }
  const rest = buffer.subarray(0, length);
  if (rest.some((byte) => byte > 0x20)) take(rest);
}

/** Returns where the first one begins that may go on in the next piece. */
function takeWhole(
  buffer: Buffer,
  length: number,
  take: (paragraph: Buffer) => void,
  isWanted: (name: string) => boolean,
): number {
  let start = 0;
  for (;;) {
    const end = buffer.indexOf('\n\n', start, 'latin1');
    // What stands behind the length is left from before.
    if (end === -1 || end + 2 > length) return start;
    if (end > start) {
      const name = nameAt(buffer, start);
      if (name === null || isWanted(name)) take(buffer.subarray(start, end));
    }
    start = end + 2;
  }
}

const packageKey = Buffer.from('Package: ');

/** Nearly all paragraphs begin with it, and of most nothing else matters. */
function nameAt(buffer: Buffer, start: number): string | null {
  for (let at = 0; at < packageKey.length; at += 1) if (buffer[start + at] !== packageKey[at]) return null;
  const end = buffer.indexOf(0x0a, start);
  return end === -1 ? null : buffer.toString('latin1', start + packageKey.length, end);
}

/** One line of a paragraph; null: it has no such field. */
export function controlField(paragraph: Buffer, name: string): string | null {
  const key = `${name}: `;
  let at = 0;
  if (paragraph.toString('latin1', 0, key.length) !== key) {
    const found = paragraph.indexOf(`\n${key}`);
    if (found === -1) return null;
    at = found + 1;
  }
  const end = paragraph.indexOf(0x0a, at);
  return paragraph.toString('utf8', at + key.length, end === -1 ? paragraph.length : end).trim();
}
