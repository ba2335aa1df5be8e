import { expect, test } from 'bun:test';
import { entriesJson } from './entries-json.ts';

const entries = (count: number) => Array.from({ length: count }, (_value, id) => ({ id, name: `"${id}"`, path: null }));

test.each<[string, unknown]>([
  ['a short list', entries(3)],
  ['a long list', entries(40)],
  ['an empty list', []],
  ['lists in an object', { 'a "b"': entries(20), few: [1], none: [], io: { sent: 1 }, missing: null, left: undefined }],
  ['a long list of what has no fields', Array.from({ length: 20 }, (_value, index) => (index % 2 === 0 ? null : 'ü"'))],
  ['a number', 7],
  ['nothing', null],
])('%s is serialised like JSON.stringify', (_what, payload) => {
  expect(entriesJson(payload)).toBe(JSON.stringify(payload));
  expect(entriesJson(payload)).toBe(JSON.stringify(payload));
});

test('an entry that is the same object is written once', () => {
  let written = 0;
  const counted = {
    toJSON() {
      written += 1;
      return 'written';
    },
  };
  const list = [...entries(20), counted];
  expect(entriesJson({ list: [...list] })).toBe(entriesJson({ list }));
  expect(written).toBe(1);
});
