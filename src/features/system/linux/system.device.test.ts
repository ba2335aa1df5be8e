import { expect, test } from 'bun:test';
import { isPlaceholder } from '../system.firmware-strings.ts';

test.each([
  'To Be Filled By O.E.M.',
  'To be filled by O.E.M.',
  'Default string',
  'System Product Name',
  'System manufacturer',
  'System Version',
  'Not Applicable',
  'Not Specified',
  'OEM',
  'N/A',
  'None',
  'INVALID',
  '0123456789',
  'x.x',
  '0',
  '',
  '   ',
])('the firmware string %j is a placeholder', (value) => {
  expect(isPlaceholder(value)).toBe(true);
});

test.each([
  'LENOVO',
  'ThinkPad X1 Carbon Gen 9',
  '1.0',
  'X570 AORUS ELITE',
  'System76',
  'None Such Ltd.',
  'F37',
  'Standard PC (Q35 + ICH9, 2009)',
])('the firmware string %j is not a placeholder', (value) => {
  expect(isPlaceholder(value)).toBe(false);
});
