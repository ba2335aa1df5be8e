import { expect, test } from 'bun:test';
import { BusError } from './dbus.ts';
import { parseSignature } from './signature.ts';

test('a signature is parsed into its complete types', () => {
  expect(parseSignature('')).toEqual([]);
  expect(parseSignature('sa{sv}(ib)')).toEqual([
    { code: 's', parts: [] },
    {
      code: 'a',
      parts: [
        {
          code: '{',
          parts: [
            { code: 's', parts: [] },
            { code: 'v', parts: [] },
          ],
        },
      ],
    },
    {
      code: '(',
      parts: [
        { code: 'i', parts: [] },
        { code: 'b', parts: [] },
      ],
    },
  ]);
});

const valid = [
  'susssasa{sv}i',
  'aaai',
  'a{oa{sa{sv}}}',
  '(((y)))',
  'a{s(ii)}',
  `${'a'.repeat(32)}y`,
  // Dictionary entries are not counted as structs.
  `${'a{s('.repeat(17)}s${')}'.repeat(17)}`,
  'h',
  's'.repeat(255),
];
const invalid = [
  'a',
  '(',
  ')',
  '()',
  '(i',
  'a()',
  'a(())',
  '{sv}',
  'a{}',
  'a{s}',
  'a{svv}',
  'a{vs}',
  'a{(i)s}',
  'a{sv',
  'r',
  'e',
  'm',
  '*',
  'z',
  's s',
  'é',
  `${'a'.repeat(33)}y`,
  `${'('.repeat(33)}y${')'.repeat(33)}`,
  `${'a{y'.repeat(33)}y${'}'.repeat(33)}`,
  's'.repeat(256),
  '\0',
  '__proto__',
];

test('signatures of the specification are accepted and all others refused', () => {
  for (const signature of valid) expect(() => parseSignature(signature)).not.toThrow();
  for (const signature of invalid) expect(() => parseSignature(signature), signature).toThrow(BusError);
});
