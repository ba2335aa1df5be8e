import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Accounts, createWindowsStorage, patiently } from './windows-storage.ts';

const storageOf = (accounts: Accounts, secret: string | null = null) =>
  createWindowsStorage(accounts, secret, async () => accounts);

const busy = (code: string) => Object.assign(new Error(`${code}: rename`), { code });

test('replacing a file that another program has open is retried', () => {
  let tries = 0;
  patiently(() => {
    tries += 1;
    if (tries < 3) throw busy('EPERM');
  });
  expect(tries).toBe(3);
});

test('a file that stays open is an error, and every other failure is one at once', () => {
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

test('a new directory is for its owner and the system only; an existing one is unchanged', () => {
  const protectedOnes: string[][] = [];
  const storage = storageOf({
    ownSid: () => 'S-1-5-21-1-2-3-1001',
    protect: (...given) => protectedOnes.push(given) > 0,
    ownerSid: () => null,
    descriptor: () => null,
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
  ['S-1-5-21-1-2-3-1002', 'it belongs to another account (S-1-5-21-1-2-3-1002)'],
  ['S-1-1-0', 'it belongs to another account (S-1-1-0)'],
  [null, 'Windows does not let this account see its owner, so it belongs to another account'],
])('a place of %s is safe, or why not: %p', (owner, problem) => {
  const { exposure } = storageOf({
    ownSid: () => 'S-1-5-21-1-2-3-1001',
    protect: () => true,
    ownerSid: () => owner,
    descriptor: () => (owner === null ? null : `O:${owner}D:P(A;;FA;;;SY)`),
  });
  expect(exposure(os.tmpdir())?.problem ?? null).toBe(problem);
  expect(exposure(path.join(os.tmpdir(), 'hostler-has-none'))).toBeNull();
});

const own = 'S-1-5-21-1-2-3-1001';
test.each([
  ['our own alone', `O:${own}D:P(A;OICI;FA;;;${own})(A;OICI;FA;;;SY)`, null, null],
  ['one with the defaults of C:', `O:${own}D:AI(A;ID;FA;;;BA)(A;ID;0x1301bf;;;AU)`, 'AU) may change', 'AU) may change'],
  ['one that others may read', `O:${own}D:AI(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)`, 'BU) may read', null],
])('%s: the problem for secrets is %p, and for other files %p', (_name, sddl, secret, other) => {
  const accounts = { ownSid: () => own, protect: () => true, ownerSid: () => own, descriptor: () => sddl };
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-windows-rights-'));
  const file = path.join(directory, 'token');
  fs.writeFileSync(file, '');
  try {
    const problemOf = (place: string, secret: string | null) =>
      storageOf(accounts, secret).exposure(place)?.problem ?? null;
    const matches = (words: string | null) => (words === null ? null : expect.stringContaining(words));
    expect([problemOf(directory, directory), problemOf(file, directory), problemOf(directory, null)]).toEqual(
      [secret, other, other].map(matches) as (string | null)[],
    );
    expect(storageOf(accounts, directory).exposure(directory)?.fix ?? own).toContain(own);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test.each([
  ['ours alone', `O:${own}D:(A;ID;FA;;;${own})(A;ID;FA;;;SY)(A;ID;FA;;;BA)`, null],
  ['for others to read', `O:${own}D:(A;ID;FA;;;${own})(A;ID;0x1200a9;;;BU)`, 'others (BU) may read it'],
  ['for others to change', `O:${own}D:(A;ID;FA;;;${own})(A;ID;0x1301bf;;;AU)`, 'others (AU) may change it'],
])('a file with a secret that is %s, where no directory had to be checked: %p', async (_what, sddl, problem) => {
  const accounts = { ownSid: () => own, protect: () => true, ownerSid: () => own, descriptor: () => sddl };
  const storage = createWindowsStorage(null, null, async () => accounts);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-windows-secret-')), 'headers');
  fs.writeFileSync(file, 'X: y');
  try {
    const exposure = await storage.secretExposure(file);
    expect(exposure?.problem ?? null).toBe(problem);
    // Inheritance is a property of directories.
    expect(exposure?.fix ?? '').not.toContain('(OI)');
  } finally {
    fs.rmSync(path.dirname(file), { recursive: true });
  }
});
