import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { latestRelease, newerRelease, openReleaseList, refuseStale } from './release-list.ts';

const maker = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const rawKey = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const key = rawKey(maker);

const file = { name: 'hostler-6.1.0-linux-x64.tar.gz', size: 10, sha256: 'a'.repeat(64) };
const whole = {
  kind: 'hostler-releases',
  issued: '2026-11-01T00:00:00Z',
  expires: '2027-11-01T00:00:00Z',
  releases: [{ version: '6.1.0', page: 'https://example.org/6.1.0', files: [file] }],
};
const envelope = (value: unknown, by = maker) => {
  const list = typeof value === 'string' ? value : JSON.stringify(value);
  return { list, signature: sign(null, Buffer.from(list), by.privateKey).toString('base64') };
};

describe('a list of releases', () => {
  test('that its maker signed is what it says', async () => {
    expect(await openReleaseList(envelope(whole), key)).toEqual({
      issued: Date.UTC(2026, 10, 1),
      expires: Date.UTC(2027, 10, 1),
      releases: [{ version: '6.1.0', page: 'https://example.org/6.1.0', files: [file] }],
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['by somebody else', envelope(whole, stranger)],
    ['and changed afterwards', { ...envelope(whole), list: JSON.stringify(whole).replace('6.1.0', '6.2.0') }],
    ['with an empty signature', { ...envelope(whole), signature: '' }],
    ['with a short signature', { ...envelope(whole), signature: 'AAAA' }],
    ['with a signature of another text', { ...envelope(whole), signature: envelope('{}').signature }],
  ])('signed %s is refused', async (_how, document) => {
    await expect(openReleaseList(document, key)).rejects.toThrow('its signature is not by the key');
  });

  test.each([{}, { list: 1, signature: 2 }, { list: '{}' }])('%j is not one', async (document) => {
    await expect(openReleaseList(document, key)).rejects.toThrow('not a signed release list');
  });

  test('is not whatever else the same key has signed', async () => {
    const sums = `${'a'.repeat(64)}  hostler.deb\n`;
    await expect(openReleaseList(envelope(sums), key)).rejects.toThrow();
    await expect(openReleaseList(envelope({ ...whole, kind: 'other' }), key)).rejects.toThrow('not a release list');
    await expect(openReleaseList(envelope({ ...whole, issued: 'x' }), key)).rejects.toThrow('does not say when');
  });

  test.each([
    { ...file, name: '../../etc/passwd' },
    { ...file, name: 'https://example.org/x' },
    { ...file, name: '/x' },
    { ...file, name: '' },
    { ...file, size: -1 },
    { ...file, size: 2 ** 40 },
    { ...file, size: '10' },
    { ...file, sha256: 'A'.repeat(64) },
    null,
  ])('keeps no file such as %j', async (odd) => {
    const { releases } = await openReleaseList(
      envelope({ ...whole, releases: [{ version: '6.1.0', files: [odd, file] }, { version: 'x', files: [] }, 7] }),
      key,
    );
    expect(releases).toEqual([{ version: '6.1.0', page: null, files: [file] }]);
  });

  test('of the past is refused: one that has expired, and one that is older than another that was seen', () => {
    const list = { issued: 1000, expires: 2000, releases: [] };
    expect(() => refuseStale(list, 1500, null)).not.toThrow();
    expect(() => refuseStale(list, 1500, 1000)).not.toThrow();
    expect(() => refuseStale(list, 2001, null)).toThrow('the clock of this machine is wrong');
    expect(() => refuseStale(list, 1500, 1001)).toThrow('holding newer releases back');
  });

  test('of the future is refused, as far as clocks do not differ by so much', () => {
    const day = 24 * 60 * 60 * 1000;
    const now = Date.UTC(2026, 0, 1);
    const issuedIn = (ms: number) => ({ issued: now + ms, expires: now + 400 * day, releases: [] });
    expect(() => refuseStale(issuedIn(day), now, null)).not.toThrow();
    expect(() => refuseStale(issuedIn(day + 1), now, null)).toThrow('it is of 2026-01-02, which is yet to come');
  });
});

test.each<[string, string[], string | null]>([
  ['6.0.0', ['6.0.0', '5.9.0'], null],
  ['6.0.0', ['6.1.0', '6.10.0', '6.9.9'], '6.10.0'],
  ['6.2.0', ['6.1.0'], null],
  ['6.0.0', ['7.0.0-beta.1', '6.0.1'], '6.0.1'],
  ['6.0.0', ['7.0.0-beta.1'], null],
  ['7.0.0-beta.1', ['7.0.0-beta.2', '6.9.0'], '7.0.0-beta.2'],
  ['7.0.0-beta.1', ['7.0.0', '7.0.0-beta.2'], '7.0.0'],
  ['by hand', ['9.0.0'], null],
])('with %s installed and %j to be had it becomes %s', (installed, versions, wanted) => {
  const list = { issued: 0, expires: 0, releases: versions.map((version) => ({ version, page: null, files: [] })) };
  expect(newerRelease(list, installed)?.version ?? null).toBe(wanted);
});

test('the latest of all is no trial version', () => {
  const releases = ['6.0.0', '7.0.0-rc.1', '6.2.0'].map((version) => ({ version, page: null, files: [] }));
  expect(latestRelease({ issued: 0, expires: 0, releases })?.version).toBe('6.2.0');
});
