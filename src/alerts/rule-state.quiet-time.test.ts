import { expect, test } from 'bun:test';
import { isQuietAt } from './rule-state.ts';

// In the local time zone.
const at = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(2026, 0, 15, hours, minutes).getTime();
};

test.each([
  ['22:00', '07:00', '21:59', false],
  ['22:00', '07:00', '22:00', true],
  ['22:00', '07:00', '23:59', true],
  ['22:00', '07:00', '00:00', true],
  ['22:00', '07:00', '06:59', true],
  ['22:00', '07:00', '07:00', false],
  ['12:00', '13:30', '11:59', false],
  ['12:00', '13:30', '12:00', true],
  ['12:00', '13:30', '13:29', true],
  ['12:00', '13:30', '13:30', false],
  ['08:00', '08:00', '03:00', true],
])('with a quiet time from %s to %s, %s is quiet: %p', (from, to, time, expected) => {
  expect(isQuietAt({ from, to }, at(time))).toBe(expected);
});
