import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { aclBytes, setAcl } from '../../../../test/harness/acl.ts';
import { aclWriters, parseAcl } from './acl.ts';

test('every entry with write permission counts, except the owner and all others', () => {
  const acl = aclBytes([
    ['owner', 7],
    ['user', 6, 1001],
    ['user', 5, 1002],
    ['owningGroup', 7],
    ['group', 2, 100],
    ['group', 4, 101],
    ['mask', 7],
    ['others', 5],
  ]);
  expect(parseAcl(acl)).toEqual([
    { kind: 'user', id: 1001 },
    { kind: 'group', id: null },
    { kind: 'group', id: 100 },
  ]);
});

test('the mask limits all entries of an ACL', () => {
  const acl = aclBytes([
    ['owner', 7],
    ['user', 7, 1001],
    ['owningGroup', 7],
    ['mask', 5],
    ['others', 0],
  ]);
  expect(parseAcl(acl)).toEqual([]);
});

test('an ACL that was cut off has the entries that are complete', () => {
  const acl = aclBytes([
    ['user', 7, 1001],
    ['user', 7, 1002],
  ]);
  expect(parseAcl(acl.subarray(0, 15))).toEqual([{ kind: 'user', id: 1001 }]);
  expect(parseAcl(acl.subarray(0, 2))).toEqual([]);
});

test('the ACL of a file on this machine', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-acl-'));
  try {
    expect(aclWriters(directory)).toBeNull();
    expect(aclWriters(path.join(directory, 'none'))).toBeNull();
    if (!setAcl(directory, ['user', 7, 54_321])) return;
    expect(aclWriters(directory)).toEqual([{ kind: 'user', id: 54_321 }]);
    fs.chmodSync(directory, 0o750);
    expect(aclWriters(directory)).toEqual([]);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
