import { expect, test } from 'bun:test';
import { denseText } from './calls.text.ts';

test('data without a long list is plain JSON', () => {
  const answer = { module: 'memory', data: { percent: 5, list: [{ a: 1, b: 2 }] }, truncated: [], gone: null };
  expect(denseText(answer)).toBe(JSON.stringify(answer));
});

test('the field names of a list appear once, above its rows, also in nested lists', () => {
  const address = (last: number) => ({ address: `10.0.0.${last}`, netmask: null });
  const link = (name: string) => ({ name, addresses: [1, 2, 3].map(address) });
  expect(JSON.parse(denseText({ links: ['a', 'b', 'c'].map(link) }))).toEqual({
    links: {
      columns: ['name', 'addresses'],
      rows: ['a', 'b', 'c'].map((name) => [
        name,
        { columns: ['address', 'netmask'], rows: [1, 2, 3].map((last) => [`10.0.0.${last}`, null]) },
      ]),
    },
  });
});

test.each([
  [
    'of other names',
    [
      { a: 1, b: 1 },
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
  ],
  ['that lack one', [{ a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1 }]],
  [
    'of another order',
    [
      { a: 1, b: 1 },
      { b: 1, a: 1 },
      { a: 1, b: 1 },
    ],
  ],
  ['of plain values', [1, 2, 3, 4]],
  ['with one name', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  ['with something else among them', [{ a: 1, b: 1 }, null, { a: 1, b: 1 }]],
])('entries %s stay as they are', (_what, list) => {
  expect(denseText({ list })).toBe(JSON.stringify({ list }));
});

test('the text of a process list is less than two thirds of its JSON', () => {
  const processes = Array.from({ length: 20 }, (_, pid) => ({ pid, name: 'firefox', cpu: 1.5, memory: 2.5 }));
  expect(denseText({ processes }).length).toBeLessThan((JSON.stringify({ processes }).length * 2) / 3);
});
