import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { countOpenFiles } from '../../../../test/harness/open-files.ts';
import { atOnce } from '../../../lib/slices.ts';
import { createFiles } from '../files.ts';

test('a long table is read completely in pieces, between which other reads can run', () => {
  const text = Array.from(
    { length: 5000 },
    (_, line) => `${line} 1 0:${line} / /mnt/${line} rw - tmpfs tmpfs rw\n`,
  ).join('');
  const files = machineFiles({ '/proc/self/mountinfo': text, '/proc/stat': 'cpu 1\n' });
  const stat = files.keep('/proc/stat');
  expect(countOpenFiles(files.root)).toBe(0);
  const one = files.long('/proc/self/mountinfo');
  const other = files.long('/proc/self/mountinfo');
  let pieces = 0;
  let step = one.next();
  for (; step.done !== true; step = one.next()) {
    pieces += 1;
    expect(stat.text()).toBe('cpu 1\n');
    other.next();
  }
  expect(pieces).toBeGreaterThan(10);
  expect(step.value).toBe(text);
  expect(atOnce(other)).toBe(text);
  stat.close();
  expect(countOpenFiles(files.root)).toBe(0);
});

test('the content is complete, and decoded as Latin-1', () => {
  expect(atOnce(createFiles({}).long('/proc/self/mountinfo'))).toContain(' / / ');
  expect(atOnce(machineFiles({ '/a': Uint8Array.from([0xe4, 0x0a]) }).long('/a'))).toBe('ä\n');
});

test('a missing or invalid table is null', () => {
  expect(atOnce(machineFiles({}).long('/proc/self/mountinfo'))).toBeNull();
  expect(atOnce(machineFiles({ '/proc/self/mountinfo/x': '' }).long('/proc/self/mountinfo'))).toBeNull();
  expect(atOnce(machineFiles({ '/empty': '' }).long('/empty'))).toBe('');
});
