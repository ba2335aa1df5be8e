import { expect, test } from 'bun:test';
import { z } from 'zod';
import { apply, mostSorted, select, selectionFrom, selectionIn } from './selection.ts';

const schema = z.object({
  usage: z.number(),
  flags: z.array(z.string()),
  devices: z.array(
    z.object({
      name: z.string().nullable(),
      busy: z.boolean(),
      io: z.object({ read: z.number().nullable() }).nullable(),
      parts: z.array(z.object({ size: z.number() })),
    }),
  ),
  tables: z.record(z.string(), z.array(z.object({ rows: z.number() }))),
});
const device = (name: string | null, read: number | null, ...sizes: number[]) => ({
  name,
  busy: name === 'b',
  io: read === null ? null : { read },
  parts: sizes.map((size) => ({ size })),
});
const value = {
  usage: 3,
  flags: ['sse', 'avx', 'fpu'],
  devices: [device('c', null, 1, 3, 2), device('a', 10), device('b', 9, 5, 4), device(null, 9)],
  tables: { users: [{ rows: 2 }, { rows: 1 }] },
};

const part = (sort: string, more: { fields?: string; limit?: string } = {}) =>
  select(value, selectionFrom({ sort, ...more }) ?? expect.unreachable(), schema, 'house') as typeof value;
const namesBy = (sort: string) => part(sort).devices.map(({ name }) => name);

test('the innermost list on the way to the field is sorted; ties keep their order, and null is last in both directions', () => {
  expect(namesBy('devices.name')).toEqual(['a', 'b', 'c', null]);
  expect(namesBy('-devices.name')).toEqual(['c', 'b', 'a', null]);
  // As numbers, not as texts.
  expect(namesBy('devices.io.read')).toEqual(['b', null, 'a', 'c']);
  expect(namesBy('-devices.io.read')).toEqual(['a', 'b', null, 'c']);
  expect(namesBy('-devices.busy')).toEqual(['b', 'c', 'a', null]);
  expect(part('-devices.parts.size').devices.map(({ parts }) => parts.map(({ size }) => size))).toEqual([
    [3, 2, 1],
    [],
    [5, 4],
    [],
  ]);
  expect(part('flags').flags).toEqual(['avx', 'fpu', 'sse']);
  expect(part('tables.users.rows').tables.users).toEqual([{ rows: 1 }, { rows: 2 }]);
});

test('lists are sorted before limit and before fields, and the payload itself is left alone', () => {
  const before = structuredClone(value);
  expect(part('-devices.io.read', { fields: 'devices.name', limit: '2' })).toEqual({
    devices: [{ name: 'a' }, { name: 'b' }],
  } as never);
  expect(value).toEqual(before);
});

test('a limit leaves the texts and numbers within an entry complete', () => {
  const tokens = [
    { scopes: ['read', 'media'], used: { at: [1, 2], from: [{ rows: 1 }, { rows: 2 }] } },
    { scopes: [] },
  ];
  const limit = selectionFrom({ limit: '1' }) ?? expect.unreachable();
  expect(apply(tokens, limit)).toEqual([{ scopes: ['read', 'media'], used: { at: [1, 2], from: [{ rows: 1 }] } }]);
  expect(apply({ flags: ['fpu', 'avx'] }, limit)).toEqual({ flags: ['fpu'] });
});

test('a list is described by the schema of its entries', () => {
  const list = [{ rows: 1 }, { rows: 2 }];
  const selection = selectionFrom({ sort: '-rows' }) ?? expect.unreachable();
  expect(select(list, selection, z.object({ rows: z.number() }), 'A table')).toEqual([{ rows: 2 }, { rows: 1 }]);
});

test.each([
  ['usage', 'house cannot be sorted by "usage": it is not in a list'],
  ['devices', 'house cannot be sorted by "devices": add the field to sort by, one of name, busy, io, parts'],
  ['devices.io', 'house cannot be sorted by "devices.io": add the field to sort by, one of read'],
  ['devices.nam', 'house has no field "devices.nam": there are name, busy, io, parts'],
  ['__proto__', 'house has no field "__proto__": there are usage, flags, devices, tables'],
  ['-', 'sort must be one field, such as cpu_usage, or -cpu_usage for the highest first'],
  ['flags,usage', 'sort must be one field'],
])('sort=%s is refused', (sort, sentence) => {
  expect(() => part(sort)).toThrow(sentence);
});

test('a list that would take long to sort is refused', () => {
  const list = Array.from({ length: mostSorted + 1 }, (_, rows) => ({ rows }));
  const selection = selectionFrom({ sort: '-rows' }) ?? expect.unreachable();
  expect(() => select(list, selection, z.object({ rows: z.number() }), 'A table')).toThrow('at most 20000 are');
});

test('in a message fields is a list and limit a number; null is nothing', () => {
  expect(selectionIn({ modules: ['cpu'], fields: null, sort: null, limit: null })).toBeNull();
  expect(selectionIn({ fields: ['usage', 'flags'], sort: '-flags', limit: 2 })).toEqual({
    fields: new Set(['usage', 'flags']),
    sort: { path: 'flags', descending: true },
    limit: 2,
  });
  for (const wrong of [
    { fields: 'usage' },
    { fields: [1] },
    { sort: ['flags'] },
    { limit: 1.5 },
    { limit: 'all' },
    { limit: { toString: 1 } },
  ])
    expect(() => selectionIn(wrong)).toThrow(/must be/);
});

test('fields and sort are not parsed when they are longer than any address', () => {
  expect(() => selectionIn({ fields: ['a.'.repeat(9000)] })).toThrow('16384 characters');
  expect(() => selectionIn({ sort: 'a'.repeat(17_000) })).toThrow('16384 characters');
});
