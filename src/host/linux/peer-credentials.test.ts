import { expect, test } from 'bun:test';
import type { Peer } from '@hostler/io/local-socket.ts';
import { createVerifyPeer } from './peer-credentials.ts';

const passwd = 'root:x:0:0\nmessagebus:x:101:101\npulse:x:102:102\nann:x:1000:1000\neve:x:1002:1002\n';

/** 'used', or the refusal. */
function verdict(owner: number | null, peer: Peer, { me = 1000, isUnmapped = (uid: number) => uid < 0 } = {}): string {
  const verify = createVerifyPeer({ me, peerOf: () => owner, passwd: () => passwd, isUnmapped });
  try {
    verify(7, '/tmp/server', peer);
    return 'used';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const refused = (owner: string, expected: string) =>
  `the server at /tmp/server belongs to ${owner}, not to ${expected}; it is not used`;

test('servers of our own user are accepted', () => {
  for (const peer of ['self', 'self-or-root', 'system-bus', 'sound'] as const) expect(verdict(1000, peer)).toBe('used');
});

test('servers of another user are refused, and the error names both users', () => {
  expect(verdict(1002, 'self')).toBe(refused('user eve (1002)', 'this user (ann)'));
  expect(verdict(1002, 'self-or-root')).toBe(refused('user eve (1002)', 'this user (ann) or root'));
  expect(verdict(1002, 'system-bus')).toBe(refused('user eve (1002)', 'this user (ann) or root or messagebus'));
  expect(verdict(1003, 'sound')).toBe(refused('user 1003', 'this user (ann) or root or pulse'));
  expect(verdict(1000, 'self-or-root', { me: 0 })).toBe(refused('user ann (1000)', 'this user (root)'));
});

test('root and system accounts are accepted for their own servers', () => {
  expect(verdict(0, 'self')).toBe(refused('user root (0)', 'this user (ann)'));
  expect(verdict(0, 'self-or-root')).toBe('used');
  expect([verdict(0, 'system-bus'), verdict(101, 'system-bus')]).toEqual(['used', 'used']);
  expect([verdict(0, 'sound'), verdict(102, 'sound')]).toEqual(['used', 'used']);
  expect(verdict(101, 'sound')).toStartWith('the server at');
  expect(verdict(101, 'self-or-root')).toStartWith('the server at');
});

test('the uid that stands for all unmapped users is refused, even where it is ours', () => {
  const isUnmapped = (uid: number) => uid === 65_534;
  const owner = 'user 65534, to which all users outside of this user namespace are mapped';
  expect(verdict(65_534, 'self-or-root', { isUnmapped })).toBe(refused(owner, 'this user (ann) or root'));
  expect(verdict(65_534, 'self', { isUnmapped, me: 65_534 })).toBe(refused(owner, 'this user (65534)'));
});

test('an unknown user is refused', () => {
  expect(verdict(null, 'self')).toBe(refused('a user that the kernel does not report', 'this user (ann)'));
});
