import { expect, test } from 'bun:test';
import { parseMoment, parseNextMoment, parseSpan, spanText } from './durations.ts';

test.each([
  ['90', 90_000],
  ['90s', 90_000],
  ['15m', 900_000],
  ['15 min', 900_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['1 h 30 min', 5_400_000],
  ['1h30m', 5_400_000],
  ['250 ms', 250],
  ['', null],
  ['1 week', null],
  ['-5m', null],
])('the span "%s" is parsed', (text, ms) => {
  expect(parseSpan(text)).toBe(ms);
});

test.each([
  [250, '250 ms'],
  [1500, '1.5 s'],
  [300_000, '5 min'],
  [5_400_000, '1 h 30 min'],
  [90_061_000, '1 d 1 h 1 min 1 s'],
])('%d ms is %s, and back', (ms, text) => {
  expect(spanText(ms)).toBe(text);
  expect(parseSpan(text)).toBe(ms);
});

const now = new Date(2026, 10, 16, 15, 0).getTime();

test.each([
  ['14:30', new Date(2026, 10, 16, 14, 30).getTime()],
  ['15:30', new Date(2026, 10, 15, 15, 30).getTime()],
  ['2026-11-16T12:00:00Z', Date.UTC(2026, 10, 16, 12)],
  [String(now), now],
  ['25:00', null],
  ['yesterday', null],
])('the past moment "%s" is parsed', (text, moment) => {
  expect(parseMoment(text, now)).toBe(moment);
});

test.each([
  ['14:30', new Date(2026, 10, 17, 14, 30).getTime()],
  ['15:30', new Date(2026, 10, 16, 15, 30).getTime()],
  ['2026-11-16T22:00:00Z', Date.UTC(2026, 10, 16, 22)],
  ['25:00', null],
  ['tonight', null],
])('the next moment "%s" is parsed', (text, moment) => {
  expect(parseNextMoment(text, now)).toBe(moment);
});
