import { expect, test } from 'bun:test';
import { editDistance, nearest } from './nearest-name.ts';

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'ab', 1],
  ['abc', 'acb', 1],
  ['kitten', 'sitting', 3],
])('the distance from %j to %j is %d letters', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test.each([
  ['logLevle', 'logLevel'],
  ['loglevel', 'logLevel'],
  ['server.prot', 'server.port'],
  ['x', null],
  ['nothing', null],
  ['__proto__', null],
])('the suggestion for %j is %j', (name, meant) => {
  expect(nearest(name, ['logLevel', 'logFormat', 'server.port', 'server.host'])).toBe(meant);
});
