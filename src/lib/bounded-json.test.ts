import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { CostlyJson, jsonLimits, parseBoundedJson } from './bounded-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('JSON within the limits is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), (text) => {
      expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
  expect(() => parseBoundedJson('"never closed')).toThrow(SyntaxError);
});

test('deeply nested JSON is refused before it is parsed', () => {
  expect(parseBoundedJson(nested(jsonLimits.depth))).toBeArray();
  expect(() => parseBoundedJson(nested(jsonLimits.depth + 1))).toThrow(CostlyJson);
  // JSON.parse would report the syntax.
  expect(() => parseBoundedJson('['.repeat(1_000_000))).toThrow('nested');
});

test('JSON with many values is refused before it is parsed', () => {
  const list = (count: number) => `[${Array(count).fill('{}').join()}`;
  expect(() => parseBoundedJson(list(jsonLimits.values))).toThrow('values');
  expect(parseBoundedJson(`[${Array(jsonLimits.values).fill('1').join()}]`)).toHaveLength(jsonLimits.values);
  expect(() =>
    parseBoundedJson(
      `[${Array(jsonLimits.values + 1)
        .fill('1')
        .join()}]`,
    ),
  ).toThrow(CostlyJson);
});

test('brackets and commas in strings do not count', () => {
  const text = JSON.stringify({ text: `\\"[${',{'.repeat(100_000)}\\` });
  expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
});

test('a text of many escapes is scanned in linear time', () => {
  const text = JSON.stringify('\\"'.repeat(500_000));
  expect(parseBoundedJson(text)).toBe(JSON.parse(text));
});

test('other limits apply where they are given', () => {
  const nested = `${'['.repeat(65)}${']'.repeat(65)}`;
  expect(() => parseBoundedJson(nested, { depth: 64, values: 500_000 })).toThrow(CostlyJson);
  expect(parseBoundedJson(`[${'1,'.repeat(9999)}1]`, { depth: 64, values: 500_000 })).toHaveLength(10_000);
});
