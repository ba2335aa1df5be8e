import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { latestRelease, openReleaseList, refuseStale } from './system.announcement.ts';

const maker = generateKeyPairSync('ed25519');
const otherKey = generateKeyPairSync('ed25519');
const rawKey = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const key = rawKey(maker);

const whole = {
  kind: 'hostler-releases',
  issued: '2026-11-01T00:00:00Z',
  expires: '2027-11-01T00:00:00Z',
  releases: [{ version: '6.1.0', page: 'https://example.org/6.1.0' }],
};
const envelope = (value: unknown, by = maker) => {
  const list = typeof value === 'string' ? value : JSON.stringify(value);
  return { list, signature: sign(null, Buffer.from(list), by.privateKey).toString('base64') };
};

describe('a list of releases', () => {
  test('signed by the publisher is accepted', async () => {
    expect(await openReleaseList(envelope(whole), key)).toEqual({
      issued: Date.UTC(2026, 10, 1),
      expires: Date.UTC(2027, 10, 1),
      releases: [{ version: '6.1.0', url: 'https://example.org/6.1.0' }],
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['signed with another key', envelope(whole, otherKey)],
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

  test('rejects other content signed with the same key', async () => {
    const sums = `${'a'.repeat(64)}  hostler.deb\n`;
    await expect(openReleaseList(envelope(sums), key)).rejects.toThrow();
    await expect(openReleaseList(envelope({ ...whole, kind: 'other' }), key)).rejects.toThrow('not a release list');
    await expect(openReleaseList(envelope({ ...whole, issued: 'x' }), key)).rejects.toThrow('no date of issue');
  });

  test('keeps no release without a valid version, and no page that is not a web address', async () => {
    const odd = [{ version: 'x' }, 7, null, { page: 'https://example.org' }, { version: '6.1.0', page: 'file:///x' }];
    const { releases } = await openReleaseList(envelope({ ...whole, releases: odd }), key);
    expect(releases).toEqual([{ version: '6.1.0', url: null }]);
  });

  test('that has expired is refused', () => {
    const list = { issued: 1000, expires: 2000, releases: [] };
    expect(() => refuseStale(list, 2000)).not.toThrow();
    expect(() => refuseStale(list, 2001)).toThrow('the clock of this machine is wrong');
  });

  test('of the future is refused, beyond the tolerated clock difference', () => {
    const day = 24 * 60 * 60 * 1000;
    const now = Date.UTC(2026, 0, 1);
    const issuedIn = (ms: number) => ({ issued: now + ms, expires: now + 400 * day, releases: [] });
    expect(() => refuseStale(issuedIn(day), now)).not.toThrow();
    expect(() => refuseStale(issuedIn(day + 1), now)).toThrow('its date of issue, 2026-01-02, is in the future');
  });
});

test('a prerelease is never the latest release', () => {
  const releases = ['6.0.0', '7.0.0-rc.1', '6.2.0'].map((version) => ({ version, url: null }));
  expect(latestRelease({ issued: 0, expires: 0, releases })?.version).toBe('6.2.0');
});
