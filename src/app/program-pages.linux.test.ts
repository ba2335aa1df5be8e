import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { unmapProgram } from './program-pages.linux.ts';

test('the program file is unmapped, and mapped again by what runs', () => {
  const before = residentOfFiles();
  unmapProgram();
  expect(residentOfFiles()).toBeLessThan(before / 2);
  expect(JSON.stringify({ still: ['running'] })).toBe('{"still":["running"]}');
});

/** KiB. */
const residentOfFiles = () => Number(/^RssFile:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1]);
