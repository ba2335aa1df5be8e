import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createWindowsStorage, patiently } from './windows-storage.ts';

const busy = (code: string) => Object.assign(new Error(`${code}: rename`), { code });

test('a file that somebody has open is tried again until it is free', () => {
  let tries = 0;
  patiently(() => {
    tries += 1;
    if (tries < 3) throw busy('EPERM');
  });
  expect(tries).toBe(3);
});

test('one that never becomes free is told, and so is every other failure at once', () => {
  let tries = 0;
  const fail = (code: string) => () => {
    tries += 1;
    throw busy(code);
  };
  expect(() => patiently(fail('EBUSY'), 30)).toThrow('EBUSY');
  tries = 0;
  expect(() => patiently(fail('ENOSPC'))).toThrow('ENOSPC');
  expect(tries).toBe(1);
});

test('a directory that is made is for its owner and the system alone; one that is there is left as it is', () => {
  const protectedOnes: string[][] = [];
  const storage = createWindowsStorage({
    ownSid: () => 'S-1-5-21-1-2-3-1001',
    protect: (...given) => protectedOnes.push(given) > 0,
    ownerSid: () => null,
  });
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-windows-storage-'));
  try {
    storage.prepareDirectory(scratch);
    expect(protectedOnes).toEqual([]);
    const made = path.join(scratch, 'state');
    storage.prepareDirectory(made);
    expect(protectedOnes).toEqual([[made, 'D:P(A;OICI;FA;;;S-1-5-21-1-2-3-1001)(A;OICI;FA;;;SY)']]);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
});

test.each([
  ['S-1-5-21-1-2-3-1001', null],
  ['S-1-5-18', null],
  ['S-1-5-32-544', null],
  ['S-1-5-21-1-2-3-1002', 'it belongs to somebody else (S-1-5-21-1-2-3-1002)'],
  ['S-1-1-0', 'it belongs to somebody else (S-1-1-0)'],
])('a place of %s is safe, or why not: %p', (owner, problem) => {
  const { exposure } = createWindowsStorage({
    ownSid: () => 'S-1-5-21-1-2-3-1001',
    protect: () => true,
    ownerSid: () => owner,
  });
  expect(exposure(os.tmpdir())?.problem ?? null).toBe(problem);
  expect(exposure(path.join(os.tmpdir(), 'hostler-has-none'))).toBeNull();
});
