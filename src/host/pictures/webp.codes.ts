/** Bits, the lowest of each byte first. */
export interface BitWriter {
  /** At most 16 at a time. */
  write(value: number, count: number): void;
  /** What was written, with zeros up to a whole byte. */
  finish(): Uint8Array;
}

export function createBitWriter(): BitWriter {
  let bytes = new Uint8Array(4096);
  let [at, held, used] = [0, 0, 0];
  return {
    write(value, count) {
      held |= value << used;
      used += count;
      if (used < 16) return;
      if (at + 4 > bytes.length) {
        const longer = new Uint8Array(bytes.length * 2);
        longer.set(bytes);
        bytes = longer;
      }
      bytes[at] = held;
      bytes[at + 1] = held >>> 8;
      at += 2;
      held >>>= 16;
      used -= 16;
    },
    finish() {
      bytes[at] = held;
      bytes[at + 1] = held >>> 8;
      return bytes.subarray(0, at + ((used + 7) >> 3));
    },
  };
}

/** A prefix code: the bits of each symbol, as they are written, and how many. */
export interface PrefixCode {
  lengths: Uint8Array;
  /** None for a symbol that is alone: it goes without saying. */
  counts: Uint8Array;
  bits: Uint16Array;
}

const longestCode = 15;
/** Of the code that the lengths of other codes are written in. */
const longestLengthCode = 7;
/** The order in which the format stores those; the numbers 16 to 18 stand for repetitions. */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const [repeatLast, fewZeros, manyZeros] = [16, 17, 18];

/** The best code with no more than `longest` bits for a symbol, by package-merge: coins of each worth are paired, the lightest first. */
export function codeLengths(uses: Uint32Array, longest: number): Uint8Array {
  const lengths = new Uint8Array(uses.length);
  const used = [...uses.keys()]
    .filter((symbol) => (uses[symbol] ?? 0) > 0)
    .sort((a, b) => (uses[a] ?? 0) - (uses[b] ?? 0) || a - b);
  if (used.length === 1) lengths[used[0] ?? 0] = 1;
  if (used.length < 2) return lengths;
  const leaves = used.map((symbol) => uses[symbol] ?? 0);
  let weights = leaves;
  /** Of each level: which of its weights, from the lightest on, are symbols and not pairs. */
  const levels = [leaves.map(() => true)];
  while (levels.length < longest) {
    const merged: number[] = [];
    const isLeaf: boolean[] = [];
    for (let leaf = 0, pair = 0; leaf < leaves.length || pair + 1 < weights.length; ) {
      const alone = leaves[leaf] ?? Number.POSITIVE_INFINITY;
      const together = pair + 1 < weights.length ? (weights[pair] ?? 0) + (weights[pair + 1] ?? 0) : Infinity;
      isLeaf.push(alone <= together);
      merged.push(Math.min(alone, together));
      if (alone <= together) leaf += 1;
      else pair += 2;
    }
    weights = merged;
    levels.push(isLeaf);
  }
  let taken = 2 * used.length - 2;
  for (const isLeaf of levels.reverse()) {
    let symbols = 0;
    for (let at = 0; at < taken; at += 1) if (isLeaf[at]) symbols += 1;
    for (const symbol of used.slice(0, symbols)) lengths[symbol] = (lengths[symbol] ?? 0) + 1;
    taken = (taken - symbols) * 2;
  }
  return lengths;
}

export const prefixCodeFor = (uses: Uint32Array): PrefixCode => canonicalCode(codeLengths(uses, longestCode));

/** Shorter codes first, and among those of one length smaller symbols. */
function canonicalCode(lengths: Uint8Array): PrefixCode {
  const ofLength = new Uint32Array(longestCode + 2);
  for (const length of lengths) if (length > 0) ofLength[length] = (ofLength[length] ?? 0) + 1;
  const next = new Uint32Array(longestCode + 2);
  for (let length = 1; length <= longestCode; length += 1)
    next[length + 1] = ((next[length] ?? 0) + (ofLength[length] ?? 0)) << 1;
  const bits = new Uint16Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] ?? 0;
    next[length] = code + 1;
    bits[symbol] = reversed(code, length);
  }
  const isAlone = ofLength.reduce((sum, count) => sum + count, 0) < 2;
  return { lengths, bits, counts: isAlone ? new Uint8Array(lengths.length) : lengths };
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) result |= ((code >>> bit) & 1) << (length - 1 - bit);
  return result;
}

/** How many bits all symbols take, without the code itself. */
export function bitsFor(uses: Uint32Array, { counts }: PrefixCode): number {
  let sum = 0;
  for (let symbol = 0; symbol < uses.length; symbol += 1) sum += (uses[symbol] ?? 0) * (counts[symbol] ?? 0);
  return sum;
}

/** https://www.rfc-editor.org/rfc/rfc9649#section-3.7.2.1 */
export function writePrefixCode(out: BitWriter, { lengths }: PrefixCode): void {
  const used = [...lengths.keys()].filter((symbol) => (lengths[symbol] ?? 0) > 0);
  const [first = 0, second] = used;
  if (used.length > 2 || (second ?? first) > 255) return writeLengths(out, lengths);
  out.write(1, 1);
  out.write(second === undefined ? 0 : 1, 1);
  const isBit = first < 2;
  out.write(isBit ? 0 : 1, 1);
  out.write(first, isBit ? 1 : 8);
  if (second !== undefined) out.write(second, 8);
}

function writeLengths(out: BitWriter, lengths: Uint8Array): void {
  const words = shortened(lengths);
  const uses = new Uint32Array(lengthOrder.length);
  for (const { symbol } of words) uses[symbol] = (uses[symbol] ?? 0) + 1;
  const code = canonicalCode(codeLengths(uses, longestLengthCode));
  const stored = Math.max(4, 1 + lengthOrder.findLastIndex((symbol) => (code.lengths[symbol] ?? 0) > 0));
  out.write(0, 1);
  out.write(stored - 4, 4);
  for (const symbol of lengthOrder.slice(0, stored)) out.write(code.lengths[symbol] ?? 0, 3);
  // All of the alphabet follows.
  out.write(0, 1);
  for (const { symbol, extra, count } of words) {
    out.write(code.bits[symbol] ?? 0, code.counts[symbol] ?? 0);
    out.write(extra, count);
  }
}

interface LengthWord {
  symbol: number;
  extra: number;
  /** Bits of `extra`. */
  count: number;
}

/** Lengths, with those that come again and again as repetitions. */
function shortened(lengths: Uint8Array): LengthWord[] {
  const words: LengthWord[] = [];
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] ?? 0;
    let run = 1;
    while (at + run < lengths.length && lengths[at + run] === length) run += 1;
    at += run;
    if (length > 0) {
      words.push({ symbol: length, extra: 0, count: 0 });
      run -= 1;
    }
    while (run > 0) {
      const most = length > 0 ? 6 : 138;
      const now = Math.min(run, most);
      if (now < 3) words.push({ symbol: length, extra: 0, count: 0 });
      else if (length > 0) words.push({ symbol: repeatLast, extra: now - 3, count: 2 });
      else if (now < 11) words.push({ symbol: fewZeros, extra: now - 3, count: 3 });
      else words.push({ symbol: manyZeros, extra: now - 11, count: 7 });
      run -= now < 3 ? 1 : now;
    }
  }
  return words;
}
