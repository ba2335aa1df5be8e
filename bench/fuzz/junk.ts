/** Junk of every kind, from a seed: the same one gives the same junk, as far as one client alone is concerned. */
export interface Junk {
  /** 0 ≤ x < 1 */
  next(): number;
  below(limit: number): number;
  chance(part: number): boolean;
  pick<T>(from: readonly T[]): T;
  bytes(count: number): Buffer;
  text(): string;
  /** Anything that JSON can say. */
  value(depth?: number): unknown;
  object(depth?: number): Record<string, unknown>;
  /** A text with a few characters changed, taken out, doubled, or cut off. */
  mangle(text: string): string;
}

const words = [
  'modules base path commandID action value home cpu memory code public_key stay name scopes id token main read admin cli',
  '__proto__ constructor toString hasOwnProperty length null undefined NaN true -1 1e999 0x10 ../.. /etc/passwd %2e%2e%2f',
]
  .join(' ')
  .split(' ');
const oddTexts = [
  '',
  '\ud800\u0000\u202e',
  '\r\nX-Injected: yes',
  'ı̇'.repeat(50),
  '\u2028',
  'null',
  '{"a":',
  '-0',
  '😀'.repeat(20),
];

/** mulberry32: small, and the same everywhere. */
export function createJunk(seed: number): Junk {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const chance = (part: number) => next() < part;
  // Lists are never empty here.
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => below(256)));

  const text = (): string =>
    pick([
      () => pick(words),
      () => pick(oddTexts),
      () => bytes(below(40)).toString('latin1'),
      () => 'x'.repeat(below(5000)),
      () => String(next() * 1e9),
    ])();

  const value = (depth = 3): unknown => {
    const kinds: (() => unknown)[] = [
      () => null,
      () => pick([0, -1, 1, 1e308, -1e-320, 2 ** 53, 4_294_967_296, 1.5]),
      () => next() * 1e9 - 5e8,
      () => chance(0.5),
      text,
      text,
    ];
    if (depth > 0)
      kinds.push(
        () => Array.from({ length: below(5) }, () => value(depth - 1)),
        () => object(depth - 1),
      );
    return pick(kinds)();
  };

  const object = (depth = 3): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: below(6) }, () => [chance(0.9) ? pick(words) : text(), value(depth)]));

  const mangle = (given: string): string => {
    const at = below(given.length + 1);
    return pick([
      () => given.slice(0, at),
      () => given.slice(0, at) + text() + given.slice(at),
      () => given.slice(0, at) + given.slice(at + 1 + below(8)),
      () => given + given,
      () =>
        given.slice(0, at) +
        pick(['"', '{', ']', ',', '\\u0000', '\u0000', '\\ud800', '9'.repeat(400)]) +
        given.slice(at),
    ])();
  };

  return { next, below, chance, pick, bytes, text, value, object, mangle };
}
