import { expect, test } from 'bun:test';
import { z } from 'zod';
import { ServiceError } from '../../lib/errors.ts';
import { parse } from './parse.ts';

const schema = z.object({
  name: z.string().min(1).max(3),
  count: z.int().min(1).max(5),
  kind: z.enum(['a', 'b']),
  list: z.array(z.boolean()).max(1),
});
const good = { name: 'x', count: 1, kind: 'a', list: [] };

test('valid input passes, without unknown fields', () => {
  expect(parse(schema, { ...good, other: 1 }, 'thing')).toEqual({ ...good, kind: 'a' });
});

test.each([
  [undefined, 'thing: it needs a JSON object as its body'],
  [[], 'thing: it must be an object'],
  [{ ...good, name: undefined }, 'thing: name is missing'],
  [{ ...good, name: 7 }, 'thing: name must be a text'],
  [{ ...good, name: '' }, 'thing: name must be at least 1 characters long'],
  [{ ...good, count: 9 }, 'thing: count must be at most 5'],
  [{ ...good, count: 1.5 }, 'thing: count must be a whole number'],
  [{ ...good, kind: 'c' }, 'thing: kind must be one of a, b'],
  [{ ...good, list: [true, true] }, 'thing: list must be at most 1 entries long'],
  [{ ...good, list: ['x'] }, 'thing: list.0 must be true or false'],
])('%j is refused with a message', (value, sentence) => {
  expect(() => parse(schema, value, 'thing')).toThrow(new ServiceError('invalid', sentence));
});
