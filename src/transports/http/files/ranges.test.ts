import { describe, expect, test } from 'bun:test';
import { judgeConditions, rangeApplies, selectRange } from './ranges.ts';

describe('of a file with 10 bytes', () => {
  test.each([
    ['bytes=0-', 0, 10],
    ['bytes=0-0', 0, 1],
    ['bytes=2-4', 2, 5],
    ['bytes=9-', 9, 10],
    ['bytes=5-99', 5, 10],
    ['bytes=5-99999999999999999999999999', 5, 10],
    ['bytes=-3', 7, 10],
    ['bytes=-10', 0, 10],
    ['bytes=-99999999999999999999999999', 0, 10],
    ['BYTES=2-4', 2, 5],
    [' bytes = 2 - 4 ', 2, 5],
    ['bytes=2-4,', 2, 5],
    ['bytes=,,2-4', 2, 5],
    ['bytes=002-004', 2, 5],
  ])('%s selects %d up to %d', (range, start, end) => {
    expect(selectRange(range, 10)).toEqual({ start, end });
  });

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=10-2', 'bytes=99999999999999999999999999-', 'bytes=-0'])(
    '%s selects nothing',
    (range) => {
      expect(selectRange(range, 10)).toBe('unsatisfiable');
    },
  );

  test.each([
    null,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=4-2',
    'bytes=+2-4',
    'bytes=2--4',
    'bytes=0x2-4',
    'bytes=2.0-4',
    'bytes 2-4',
    'items=2-4',
    'bytes=0-1,3-4',
    'bytes=0-1,99-',
    `bytes=${'0-1,'.repeat(1000)}0-1`,
  ])('%j is the whole file', (range) => {
    expect(selectRange(range, 10)).toBeNull();
  });
});

test.each(['bytes=0-', 'bytes=0-0', 'bytes=-5', 'bytes=5-'])('an empty file is whole for %s', (range) => {
  expect(selectRange(range, 0)).toBeNull();
});

const modified = 'Sun, 06 Nov 1994 08:49:37 GMT';
const before = 'Sun, 06 Nov 1994 08:49:36 GMT';
const after = 'Sun, 06 Nov 1994 08:49:38 GMT';
const file = { etag: '"tag"', modifiedMs: Date.parse(modified) + 250 };

describe('If-Range', () => {
  test.each([
    [null, true],
    ['"tag"', true],
    [modified, true],
    ['W/"tag"', false],
    ['"other"', false],
    ['tag', false],
    [before, false],
    [after, false],
    ['yesterday', false],
    ['', false],
  ])('%j: the range counts: %p', (value, applies) => {
    expect(rangeApplies(value, file)).toBe(applies);
  });
});

describe('conditions', () => {
  test.each<[Record<string, string>, string]>([
    [{}, 'proceed'],
    [{ 'If-None-Match': '"tag"' }, 'not_modified'],
    [{ 'If-None-Match': 'W/"tag"' }, 'not_modified'],
    [{ 'If-None-Match': '"a", W/"b","tag"' }, 'not_modified'],
    [{ 'If-None-Match': '*' }, 'not_modified'],
    [{ 'If-None-Match': '"other"' }, 'proceed'],
    [{ 'If-None-Match': 'tag' }, 'proceed'],
    [{ 'If-Modified-Since': modified }, 'not_modified'],
    [{ 'If-Modified-Since': after }, 'not_modified'],
    [{ 'If-Modified-Since': before }, 'proceed'],
    [{ 'If-Modified-Since': '2030' }, 'proceed'],
    [{ 'If-Modified-Since': 'Sun, 99 Nov 1994 08:49:37 GMT' }, 'proceed'],
    // An entity tag takes precedence over a date.
    [{ 'If-None-Match': '"other"', 'If-Modified-Since': after }, 'proceed'],
    [{ 'If-Match': '"tag"' }, 'proceed'],
    [{ 'If-Match': '*' }, 'proceed'],
    [{ 'If-Match': 'W/"tag"' }, 'failed'],
    [{ 'If-Match': '"other"' }, 'failed'],
    [{ 'If-Match': '"tag"', 'If-Unmodified-Since': before }, 'proceed'],
    [{ 'If-Unmodified-Since': before }, 'failed'],
    [{ 'If-Unmodified-Since': modified }, 'proceed'],
    [{ 'If-Unmodified-Since': 'never' }, 'proceed'],
    [{ 'If-Match': '"tag"', 'If-None-Match': '"tag"' }, 'not_modified'],
  ])('%j: %s', (headers, expected) => {
    expect<string>(judgeConditions(new Headers(headers), file)).toBe(expected);
  });
});
