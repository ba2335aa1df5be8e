import fc from 'fast-check';
import { variant } from '../dbus.ts';
import { parseSignature, type Type } from '../signature.ts';

/** A value of a D-Bus type in the notations of several libraries. */
export interface Case {
  /** As our callers pass it. */
  given: unknown;
  /** As dbus-native expects it: dictionaries as pairs, variants as [signature, value]. */
  reference: unknown;
  /** As it arrives. */
  plain: unknown;
}

export interface Body {
  signature: string;
  values: Case[];
}

/** Signatures of any kind with values that fit them. */
export function bodies(): fc.Arbitrary<Body> {
  return fc.array(signatures(3), { maxLength: 4 }).chain((parts) => {
    const signature = parts.join('');
    return fc
      .tuple(...parseSignature(signature).map((type) => casesOf(type, 2)))
      .map((values) => ({ signature, values }));
  });
}

/** One complete type. */
function signatures(depth: number): fc.Arbitrary<string> {
  const basic = fc.constantFrom(...'ybnqiuxtdsog');
  if (depth === 0) return basic;
  const inner = signatures(depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: basic },
    fc.constant('v'),
    inner.map((element) => `a${element}`),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join('')})`),
    fc.tuple(fc.constantFrom(...'yiuso'), inner).map(([key, value]) => `a{${key}${value}}`),
  );
}

function casesOf(type: Type, variants: number): fc.Arbitrary<Case> {
  const [first] = type.parts;
  if (type.code === 'v') {
    return signatures(variants).chain((signature) => {
      const [content] = parseSignature(signature);
      if (!content) throw new Error('there is one type');
      return casesOf(content, Math.max(0, variants - 1)).map(({ given, reference, plain }) => ({
        given: variant(signature, given),
        reference: [signature, reference],
        plain,
      }));
    });
  }
  if (type.code === '(') return fc.tuple(...type.parts.map((part) => casesOf(part, variants))).map(listOf);
  if (type.code === 'a' && first?.code === '{') return dictionariesOf(first, variants);
  if (type.code === 'a' && first?.code === 'y') return fc.uint8Array({ maxLength: 9 }).map(same);
  if (type.code === 'a' && first) return fc.array(casesOf(first, variants), { maxLength: 3 }).map(listOf);
  return basics(type.code).map(({ value, plain }) => ({ given: value, reference: value, plain }));
}

function dictionariesOf({ parts: [key, value] }: Type, variants: number): fc.Arbitrary<Case> {
  if (!key || !value) throw new Error('an entry has a key and a value');
  const keys =
    key.code === 's'
      ? fc.constantFrom('', 'a', '__proto__', 'constructor', 'grüße')
      : basics(key.code).map(({ plain }) => plain);
  const entry = fc.tuple(keys, casesOf(value, variants));
  return fc.uniqueArray(entry, { maxLength: 3, selector: ([name]) => String(name) }).map((entries) => {
    const objectOf = (spelling: keyof Case) =>
      Object.assign(Object.create(null), ...entries.map(([name, item]) => ({ [`${name}`]: item[spelling] })));
    const given: Record<string, unknown> = objectOf('given');
    // Objects order integer keys first, whatever the order of insertion.
    const ordered = Object.keys(given).map((name) => entries.find((each) => String(each[0]) === name) ?? entries[0]);
    const pairs = ordered.flatMap((each) => (each ? [[each[0], each[1].reference]] : []));
    return { given, reference: pairs, plain: objectOf('plain') };
  });
}

function basics(code: string): fc.Arbitrary<{ value: unknown; plain: unknown }> {
  const exact = (value: bigint) => {
    const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
    return { value, plain: isSafe ? Number(value) : value };
  };
  const number = (min: number, max: number) => fc.integer({ min, max }).map((value) => ({ value, plain: value }));
  const any = <T>(arbitrary: fc.Arbitrary<T>) => arbitrary.map((value) => ({ value, plain: value }));
  switch (code) {
    case 'y':
      return number(0, 255);
    case 'b':
      return any(fc.boolean());
    case 'n':
      return number(-0x8000, 0x7fff);
    case 'q':
      return number(0, 0xffff);
    case 'i':
      return number(-0x8000_0000, 0x7fff_ffff);
    case 'u':
      return number(0, 0xffff_ffff);
    case 'x':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(exact);
    case 't':
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(exact);
    case 'd':
      return any(fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'o':
      return any(fc.constantFrom('/', '/a', '/org/example/Thing_1'));
    case 'g':
      return any(fc.constantFrom('', 's', 'a{sv}', '(ii)ay'));
    default:
      return any(fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', '')));
  }
}

const same = (value: unknown): Case => ({ given: value, reference: value, plain: value });

function listOf(cases: Case[]): Case {
  return {
    given: cases.map(({ given }) => given),
    reference: cases.map(({ reference }) => reference),
    plain: cases.map(({ plain }) => plain),
  };
}
