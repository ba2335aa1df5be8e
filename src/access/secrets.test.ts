import { expect, test } from 'bun:test';
import { memoryStorage } from '../../test/doubles/fake-host.ts';
import { createDpapi } from '../host/windows/dpapi.ts';
import { readSecret, sealed } from './secrets.ts';

/** Turns bits over, and knows its own. */
const turned = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
const dpapi = createDpapi(async () => ({
  protect: (bytes) => new Uint8Array([7, ...turned(bytes)]),
  unprotect: (bytes) => (bytes[0] === 7 ? turned(bytes.slice(1)) : null),
}));

test('sealed text is not readable and can be opened again', async () => {
  const parts = { storage: memoryStorage(), sealing: dpapi };
  const text = await sealed(parts, 'pässword €\n');
  expect(text).toMatch(/^sealed:[A-Za-z0-9+/=]+\n$/);
  parts.storage.write('/x', text);
  expect(await readSecret(parts, '/x')).toBe('pässword €\n');
  expect(await readSecret(parts, '/none')).toBeNull();
});

test('unsealed text is returned as it is, and nothing is sealed if the system cannot', async () => {
  const storage = memoryStorage();
  storage.write('/old', 'plain\n');
  expect(await readSecret({ storage, sealing: dpapi }, '/old')).toBe('plain\n');
  expect(await sealed({ storage }, 'plain')).toBe('plain');
});

test('text sealed by another user is an error that names the file', async () => {
  const storage = memoryStorage();
  storage.write('/theirs', 'sealed:AAAA\n');
  expect(readSecret({ storage, sealing: dpapi }, '/theirs')).rejects.toThrow(
    '/theirs cannot be opened: it belongs to another account of Windows',
  );
  expect(readSecret({ storage }, '/theirs')).rejects.toThrow('/theirs was sealed on another system');
});

test('nothing is written unsealed if Windows refuses to seal', async () => {
  const refusing = createDpapi(async () => ({ protect: () => null, unprotect: () => null }));
  expect(sealed({ storage: memoryStorage(), sealing: refusing }, 'x')).rejects.toThrow('does not encrypt');
});
