import { expect, test } from 'bun:test';
// @ts-expect-error this part of it has no types
import Reading from 'dbus-native/lib/dbus-buffer.js';
// @ts-expect-error this part of it has no types
import write from 'dbus-native/lib/marshall.js';
import fc from 'fast-check';
import { BusError } from './dbus.ts';
import { parseSignature, type Type } from './signature.ts';
import { bodies } from './testing/dbus-values.ts';
import { readValues } from './wire.read.ts';
import { wrap } from './wrap.ts';

const read = (signature: string, bytes: Uint8Array, most = 100_000) =>
  readValues(Buffer.from(bytes), 0, true, signature, most);

test('values are encoded to the same bytes as by the reference implementation', () => {
  fc.assert(
    fc.property(bodies(), ({ signature, values }) => {
      const reference: Buffer = write(
        signature,
        values.map(({ reference }) => reference),
      );
      expect(
        Buffer.from(
          wrap(
            signature,
            values.map(({ given }) => given),
          ),
        ).toString('hex'),
      ).toBe(reference.toString('hex'));
    }),
    { numRuns: 500 },
  );
});

test('values are exchanged with the reference implementation in both directions', () => {
  fc.assert(
    fc.property(bodies(), ({ signature, values }) => {
      const plain = values.map((value) => value.plain);
      expect(
        read(
          signature,
          write(
            signature,
            values.map(({ reference }) => reference),
          ),
        ),
      ).toEqual(plain);
      const ours = Buffer.from(
        wrap(
          signature,
          values.map(({ given }) => given),
        ),
      );
      const theirs = new Reading(ours, undefined, { plainValues: false, variants: 'plain' }).read(signature);
      expect(theirs.map(plainOf)).toEqual(plain);
    }),
    { numRuns: 500 },
  );
});

test('both byte orders are read alike', () => {
  fc.assert(
    fc.property(bodies(), ({ signature, values }) => {
      const bytes = wrap(
        signature,
        values.map(({ given }) => given),
      );
      const other = turned(signature, bytes);
      expect(readValues(Buffer.from(other), 0, false, signature, 1000)).toEqual(read(signature, bytes));
    }),
    { numRuns: 300 },
  );
  expect(readValues(Buffer.of(0, 0, 0, 2, 0x68, 0x69, 0, 0, 1, 2), 0, false, 'sq', 2)).toEqual(['hi', 0x102]);
});

test('arbitrary bytes are read or throw BusError, quickly', () => {
  const signature = bodies().map((body) => body.signature);
  fc.assert(
    fc.property(signature, fc.uint8Array({ maxLength: 200 }), fc.boolean(), (signature, bytes, isLittle) => {
      expectNothingElse(() => readValues(Buffer.from(bytes), 0, isLittle, signature, 1000));
    }),
    { numRuns: 1000 },
  );
});

test('damaged values are read or throw BusError', () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(bodies(), fc.array(change, { maxLength: 4 }), fc.nat(), ({ signature, values }, changes, cut) => {
      const bytes = Buffer.from(
        wrap(
          signature,
          values.map(({ given }) => given),
        ),
      );
      fc.pre(bytes.length > 0);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      expectNothingElse(() => read(signature, bytes));
      expectNothingElse(() => read(signature, bytes.subarray(0, cut % bytes.length)));
    }),
    { numRuns: 1000 },
  );
});

test('a key __proto__ is a key like any other', () => {
  const [evil] = read('a{sv}', wrap('a{sv}', [{ ['__proto__']: { polluted: true }, constructor: 'mine', a: 1 }]));
  expect(Object.getPrototypeOf(evil)).toBeNull();
  expect(Object.keys(evil as object)).toEqual(['__proto__', 'constructor', 'a']);
  expect('polluted' in {}).toBeFalse();
  expect('polluted' in (evil as object)).toBeFalse();
});

test('64-bit numbers are numbers as long as no digit is lost', () => {
  const back = (value: bigint) => read('x', wrap('x', [value]))[0];
  expect(back(5n)).toBe(5);
  expect(back(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  expect(back(BigInt(Number.MIN_SAFE_INTEGER))).toBe(Number.MIN_SAFE_INTEGER);
  expect(back(2n ** 53n)).toBe(2n ** 53n);
  expect(back(-(2n ** 63n))).toBe(-(2n ** 63n));
});

test('decoded bytes are a copy', () => {
  const message = wrap('ay', [new Uint8Array([97, 98, 99])]);
  const [bytes] = readValues(message, 0, true, 'ay', 1);
  message.fill(0);
  expect(bytes).toEqual(new Uint8Array([97, 98, 99]));
  expect(Buffer.isBuffer(bytes)).toBeFalse();
});

test('valid encodings that we never write are read', () => {
  const text = (...bytes: number[]) => new Uint8Array([bytes.length, 0, 0, 0, ...bytes, 0]);
  expect(read('s', text(0x61, 0xff, 0x62))).toEqual(['a\ufffdb']);
  expect(read('s', text(0xef, 0xbb, 0xbf, 0x61))).toEqual(['\ufeffa']);
  expect(read('s', text(0x61, 0, 0x62))).toEqual(['a\0b']);
  expect(read('d', new Uint8Array(8).fill(0xff))).toEqual([Number.NaN]);
  expect(read('b', new Uint8Array([2, 0, 0, 0]))).toEqual([true]);
  expect(read('h', new Uint8Array([1, 0, 0, 0]))).toEqual([1]);
  // The gap before an element counts as little as the element that is not there.
  expect(read('axy', new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 7]))).toEqual([[], 7]);
});

test('the nesting of variants is limited', () => {
  const nested = (depth: number) =>
    new Uint8Array([...Array.from({ length: depth }, () => [1, 0x76, 0]).flat(), 1, 0x79, 0, 7]);
  expect(read('v', nested(60))).toEqual([7]);
  expect(() => read('v', nested(64))).toThrow(BusError);
  expect(() => read('v', nested(100_000))).toThrow('nested too deeply');
});

const counted: [string, string, unknown[], number][] = [
  ['elements and their array', 'as', [['', '', '']], 4],
  ['an array of bytes as one', 'ay', [new Uint8Array(1000)], 1],
  [
    'members and their structs',
    'a(yy)',
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    7,
  ],
  ['keys, variants and what they hold', 'a{sv}', [{ a: 'x', b: 'y' }], 7],
];

test.each(counted)('of the values of a message count %s', (_name, signature, values, count) => {
  const bytes = wrap(signature, values);
  expect(read(signature, bytes, count)).toHaveLength(1);
  expect(() => read(signature, bytes, count - 1)).toThrow(expect.objectContaining({ errorName: 'Client.TooLong' }));
});

const wrong: [string, string, number[]][] = [
  ['an array that is longer than its message', 'ay', [5, 0, 0, 0, 1, 2]],
  ['an array of 4 GB', 'au', [255, 255, 255, 255, 0, 0, 0, 0]],
  ['an array that ends in the middle of an element', 'au', [6, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]],
  ['a string without room for its end', 's', [2, 0, 0, 0, 0x61, 0x62]],
  ['a variant of two values', 'v', [2, 0x79, 0x79, 0, 1, 2]],
  ['a variant of nothing', 'v', [0, 0]],
  ['a variant of empty structs', 'v', [3, 0x61, 0x28, 0x29, 0, 0, 0, 0, 8, 0, 0, 0]],
  ['a truncated number', 't', [1, 2, 3, 4, 5, 6, 7]],
];

for (const [name, signature, bytes] of wrong) {
  test(`${name} is refused`, () => {
    expect(() => read(signature, new Uint8Array(bytes))).toThrow(BusError);
  });
}

function expectNothingElse(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(BusError);
  }
}

/** A value of dbus-native in our notation. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint')
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!Array.isArray(value)) return value;
  if (!(Symbol.for('dbus.dict') in value)) return value.map(plainOf);
  return Object.assign(Object.create(null), ...value.map(([key, item]) => ({ [`${key}`]: plainOf(item) })));
}

/** The same values in the other byte order; what is written in it is read in ours on the way. */
function turned(signature: string, bytes: Uint8Array): Uint8Array {
  const other = new Uint8Array(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (const type of parseSignature(signature)) swap(type);
  return other;

  function swap({ code, parts }: Type): void {
    const size = sizes[code] ?? 1;
    at = Math.ceil(at / size) * size;
    if (code === '(' || code === '{') return parts.forEach(swap);
    if (code === 'v') return parseSignature(text(1)).forEach(swap);
    if (code === 'g') return void text(1);
    if (code === 's' || code === 'o') return void text(4);
    if (code === 'a') return array(parts[0]);
    other.subarray(at, at + size).reverse();
    at += size;
  }

  function text(size: number): string {
    const length = size === 1 ? view.getUint8(at) : view.getUint32(at, true);
    other.subarray(at, at + size).reverse();
    at += size + length + 1;
    return Buffer.from(bytes.subarray(at - length - 1, at - 1)).toString();
  }

  function array(element: Type | undefined): void {
    const length = view.getUint32(at, true);
    other.subarray(at, at + 4).reverse();
    const size = sizes[element?.code ?? ''] ?? 1;
    at = Math.ceil((at + 4) / size) * size;
    for (const end = at + length; element && at < end; ) swap(element);
  }
}

const sizes: Record<string, number> = {
  n: 2,
  q: 2,
  b: 4,
  i: 4,
  u: 4,
  h: 4,
  s: 4,
  o: 4,
  a: 4,
  x: 8,
  t: 8,
  d: 8,
  '(': 8,
  '{': 8,
};
