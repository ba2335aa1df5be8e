import { expect, test } from 'bun:test';
import { bytesInWords, durationInWords, inUnit, recordedText, timeInWords } from './units.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [25_234_767_872, '23.5 GiB'],
  [771_092_480, '735 MiB'],
  [2 ** 60, '1024 PiB'],
])('%d bytes are %s', (value, words) => {
  expect(bytesInWords(value)).toBe(words);
});

test('rates use decimal prefixes', () => {
  expect(inUnit(1_200_000, 'bytes_per_second')).toBe('1.20 MB/s');
});

test.each([
  [0, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [7500, '2 h 5 min'],
  [3600, '1 h'],
  [90_061, '1 d 1 h'],
  [86_460, '1 d'],
])('%d seconds are %s', (value, words) => {
  expect(durationInWords(value)).toBe(words);
});

test('a moment is in local time, whatever the zone', () => {
  const local = new Date(2026, 10, 5, 7, 4, 2);
  expect(timeInWords(local.getTime() / 1000)).toBe('2026-11-05 07:04:02');
});

test.each([
  [1_500_000, 'bytes', '1.5 MB'],
  [1_500_000, 'bytes_per_second', '1.5 MB/s'],
  [42.4, 'celsius', '42 °C'],
  [3, 'processes', '3'],
  [3, '', '3'],
  // A sensor of the settings may be called like a unit that the history does not record.
  [3, 'seconds', '3 seconds'],
])('%d recorded in "%s" is "%s"', (value, unit, text) => {
  expect(recordedText(value, unit, Math.round)).toBe(text);
});
