import { expect, test } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { hmacSha256, isSame, isSameText, randomBytes, randomStartClock, sha256 } from './digest.ts';

test('a hash equals that of node:crypto', () => {
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(sha256(text).equals(createHash('sha256').update(text).digest())).toBe(true);
    }),
  );
});

test('a keyed hash equals that of node:crypto, also after WebCrypto refused a key', async () => {
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  await crypto.subtle.importKey('raw', new Uint8Array(65), curve, false, ['verify']).catch(() => {});
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: 'binary' }), (key, text) => {
      expect(hmacSha256(key, text).equals(createHmac('sha256', key).update(text).digest())).toBe(true);
    }),
  );
});

test('hashes do not share memory', () => {
  const first = sha256('a');
  const before = first.toString('hex');
  sha256('b');
  expect(first.toString('hex')).toBe(before);
  expect(first.length).toBe(32);
});

test('texts are equal if every character is', () => {
  expect(isSameText('secret', 'secret')).toBe(true);
  for (const other of ['', 'secre', 'secrets', 'Secret', 'secreu', 'sécret'])
    expect(isSameText('secret', other)).toBe(false);
});

test('buffers are equal if every byte is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, other) => {
      const changed = Uint8Array.from(bytes);
      changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ other;
      expect(isSame(bytes, Uint8Array.from(bytes))).toBe(true);
      expect(isSame(bytes, changed)).toBe(false);
      expect(isSame(bytes, bytes.subarray(1))).toBe(false);
    }),
  );
});

test('random bytes have the requested length and differ each time', () => {
  expect(randomBytes(32).length).toBe(32);
  expect(randomBytes(32).equals(randomBytes(32))).toBe(false);
});

test('a clock with a random start counts as the real one and does not show its time', () => {
  let time = 5.5;
  const [one, other] = [randomStartClock(() => time), randomStartClock(() => time)];
  const [first, second] = [one(), other()];
  expect(first).not.toBe(second);
  time = 15.5;
  expect([one() - first, other() - second]).toEqual([10, 10]);
});
