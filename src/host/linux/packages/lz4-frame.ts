/** What comes out of a frame of LZ4, block by block. https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md */
export function* lz4Blocks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const input = createInput(pieces);
  while (input.has(4)) {
    const magic = input.number();
    if (magic >>> 4 === skippable) {
      input.take(input.number());
      continue;
    }
    if (magic !== frame) throw new Error('it is not an LZ4 frame');
    yield* frameBlocks(input);
  }
}

const frame = 0x184d2204;
const skippable = 0x184d2a5;
const windowBytes = 64 * 1024;

function* frameBlocks(input: Input): Generator<Uint8Array> {
  const [flags = 0, sizes = 0] = input.take(2);
  if (flags >> 6 !== 1) throw new Error('its version of LZ4 is not known');
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  if (hasDictionary) throw new Error('it needs a dictionary');
  input.take((hasSize ? 8 : 0) + 1);
  const largest = blockBytes[(sizes >> 4) & 7];
  if (largest === undefined) throw new Error('its blocks have no known size');
  // What blocks refer back to lies in front of them.
  const output = new Uint8Array(windowBytes + largest);
  let history = 0;
  for (;;) {
    const size = input.number();
    if (size === 0) break;
    const length = size & 0x7fffffff;
    if (length > largest) throw new Error('one of its blocks is too long');
    const block = input.take(length);
    const isPlain = size < 0;
    const end = isPlain ? copied(block, output, history) : decodeBlock(block, output, history, history + largest);
    if (flags & 0x10) input.take(4);
    yield output.subarray(history, end);
    const kept = Math.min(windowBytes, end);
    output.copyWithin(0, end - kept, end);
    history = kept;
  }
  if (flags & 0x04) input.take(4);
}

const blockBytes: Record<number, number> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };

function copied(block: Uint8Array, output: Uint8Array, at: number): number {
  output.set(block, at);
  return at + block.length;
}

/** Returns where the output ends. Whatever the block says, nothing is written behind `limit` or read before the window. */
function decodeBlock(block: Uint8Array, output: Uint8Array, start: number, limit: number): number {
  let from = 0;
  let to = start;
  const lengthAt = (first: number): number => {
    let length = first;
    if (first !== 15) return length;
    for (;;) {
      const more = block[from++];
      if (more === undefined) throw new Error('one of its blocks breaks off');
      length += more;
      if (more !== 255) return length;
    }
  };
  while (from < block.length) {
    const token = block[from++] ?? 0;
    const literals = lengthAt(token >> 4);
    if (from + literals > block.length || to + literals > limit) throw new Error('one of its blocks is damaged');
    if (literals > 16) output.set(block.subarray(from, from + literals), to);
    else for (let at = 0; at < literals; at += 1) output[to + at] = block[from + at] ?? 0;
    from += literals;
    to += literals;
    if (from >= block.length) return to;
    const distance = (block[from] ?? 0) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const length = lengthAt(token & 15) + 4;
    if (distance === 0 || distance > to || to + length > limit) throw new Error('one of its blocks is damaged');
    if (distance >= length && length > 16) output.copyWithin(to, to - distance, to - distance + length);
    else for (let at = 0; at < length; at += 1) output[to + at] = output[to + at - distance] ?? 0;
    to += length;
  }
  return to;
}

interface Input {
  has(count: number): boolean;
  take(count: number): Uint8Array;
  /** 32 bits, with their sign. */
  number(): number;
}

/** What it gives is good until it is asked for more: all pieces go through one buffer. */
function createInput(pieces: Iterable<Uint8Array>): Input {
  const source = pieces[Symbol.iterator]();
  let buffer = new Uint8Array(512 * 1024);
  let start = 0;
  let end = 0;
  const has = (count: number): boolean => {
    while (end - start < count) {
      const next = source.next();
      if (next.done === true) return false;
      buffer.copyWithin(0, start, end);
      end -= start;
      start = 0;
      if (end + next.value.length > buffer.length) {
        const larger = new Uint8Array(2 * (end + next.value.length));
        larger.set(buffer.subarray(0, end));
        buffer = larger;
      }
      buffer.set(next.value, end);
      end += next.value.length;
    }
    return true;
  };
  const take = (count: number): Uint8Array => {
    if (count < 0 || !has(count)) throw new Error('it breaks off');
    start += count;
    return buffer.subarray(start - count, start);
  };
  return {
    has,
    take,
    number() {
      const bytes = take(4);
      return (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8) | ((bytes[2] ?? 0) << 16) | ((bytes[3] ?? 0) << 24);
    },
  };
}
