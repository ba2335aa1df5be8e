/** Longer than any real paragraph by far; what goes on and on is given up. */
const longest = 4 * 1024 * 1024;

/** Calls back with each paragraph of a Debian control file. The bytes are good during the call only. */
export async function eachParagraph(
  pieces: AsyncIterable<Uint8Array>,
  take: (paragraph: Buffer) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const text = rest.length === 0 ? asBuffer(piece) : Buffer.concat([rest, piece]);
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n\n', start);
      if (end === -1) break;
      if (end > start) take(text.subarray(start, end));
      start = end + 2;
    }
    if (text.length - start > longest) throw new Error('one of its paragraphs does not end');
    rest = Buffer.from(text.subarray(start));
  }
  if (rest.some((byte) => byte > 0x20)) take(rest);
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

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
