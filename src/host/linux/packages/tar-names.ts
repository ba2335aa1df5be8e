/** Names of what is in a tar archive, without its contents. */
export async function* tarNames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  /** Bytes of contents still to be passed over. */
  let skip = 0;
  let rest: Uint8Array = new Uint8Array(0);
  /** The contents of a header that says the name of the next entry. */
  let pending: { kind: string; length: number } | null = null;
  let longName: string | null = null;
  for await (const piece of pieces) {
    let bytes = rest.length === 0 ? piece : joined(rest, piece);
    for (;;) {
      if (skip > 0) {
        const passed = Math.min(skip, bytes.length);
        bytes = bytes.subarray(passed);
        skip -= passed;
        if (skip > 0) break;
      }
      if (pending !== null) {
        if (bytes.length < padded(pending.length)) break;
        longName = nameFrom(pending.kind, bytes.subarray(0, pending.length)) ?? longName;
        bytes = bytes.subarray(padded(pending.length));
        pending = null;
      }
      if (bytes.length < block) break;
      const header = bytes.subarray(0, block);
      bytes = bytes.subarray(block);
      if (header[0] === 0) continue;
      const size = Number.parseInt(textAt(header, 124, 12).trim(), 8);
      if (!Number.isFinite(size) || size < 0) throw new Error('it is not a tar archive');
      const kind = String.fromCharCode(header[156] ?? 0);
      if ((kind === 'x' || kind === 'L') && size <= longestName) {
        pending = { kind, length: size };
        continue;
      }
      skip = padded(size);
      if (kind === 'g') continue;
      const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
      yield longName ?? (prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`);
      longName = null;
    }
    // Not slice(): of a Buffer that is another view of what the next piece overwrites.
    rest = new Uint8Array(bytes);
  }
}

const block = 512;
const longestName = 64 * 1024;
const padded = (size: number) => Math.ceil(size / block) * block;

function textAt(bytes: Uint8Array, start: number, length: number): string {
  const field = Buffer.from(bytes.buffer, bytes.byteOffset + start, length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

/** GNU has the name alone, POSIX lines such as `27 path=a/b`. */
function nameFrom(kind: string, bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8');
  return kind === 'L' ? text.replace(/\0.*$/s, '') : (/^\d+ path=(.*)$/m.exec(text)?.[1] ?? null);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
