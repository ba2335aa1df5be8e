import { expect, test } from 'bun:test';
import { parseOwner } from './alsa.ts';

test.each<[string, number | null]>([
  ['state: RUNNING\nowner_pid   : 3120\ntrigger_time: 1.0\n', 3120],
  ['state: PREPARED\nowner_pid   : 3120\n', null],
  ['state: SUSPENDED\nowner_pid   : 3120\n', null],
  ['closed\n', null],
  ['', null],
  ['state: RUNNING\nowner_pid   : -1\n', null],
])('a stream with the status %j is recorded by %p', (status, owner) => {
  expect(parseOwner(status)).toBe(owner);
});
