import { expect, test } from 'bun:test';
import { generateKeyPairSync, sign } from 'node:crypto';
import {
  type FakeHostOptions,
  fakeClock,
  fakeContext,
  fakeHost,
  memoryStorage,
  withSlashes,
} from '../../../test/doubles/fake-host.ts';
import { collectReasons } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import type { SourceContext } from '../../core/module.ts';
import { defaultSettings } from '../index.ts';
import { parseRelease, readAnnouncement } from './system.announcement.ts';
import { createReleaseCheck } from './system.release.ts';

const url = 'https://releases.example.org/latest';
const dayMs = 24 * 60 * 60 * 1000;

interface Given extends FakeHostOptions {
  address?: string;
  key?: string | null;
  context?: Partial<SourceContext>;
}

/** A service whose release address answers with these texts or errors, one after the other. */
function service(answers: (string | Error)[], { address = url, key = null, context, ...parts }: Given = {}) {
  const asked: string[] = [];
  const clock = parts.clock ?? fakeClock();
  const host = fakeHost({
    storage: memoryStorage(),
    paths: { config: '/config', state: '/state', runtime: null },
    download: async (wanted, limits) => {
      expect(limits).toEqual({ timeoutMs: 3000, maxBytes: 262_144 });
      asked.push(wanted);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('asked too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...parts,
    clock,
  });
  const settings = { ...defaultSettings, releases: { url: address } };
  const check = createReleaseCheck(host, fakeContext({ settings: () => settings, ...context }), key);
  const read = async () => {
    const { reasons, collected } = collectReasons();
    return { ...(await check(reasons)), reasons: collected };
  };
  return { read, asked, clock, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

const github = JSON.stringify({ tag_name: 'v6.1.0', html_url: 'https://example.org/releases/v6.1.0', draft: false });
const found = {
  version: '6.0.0',
  version_latest: '6.1.0',
  version_latest_url: 'https://example.org/releases/v6.1.0',
  version_newer_available: true,
  reasons: [],
};

test('without an address no request is sent, with an inherent reason', async () => {
  const { read, asked } = service([], { address: '' });
  const { reasons, ...versions } = await read();
  expect(versions).toEqual({
    version: '6.0.0',
    version_latest: null,
    version_latest_url: null,
    version_newer_available: null,
  });
  expect(reasons.map(({ field, mendable }) => [field, mendable])).toEqual([
    ['version_latest', false],
    ['version_latest_url', false],
    ['version_newer_available', false],
  ]);
  expect(asked).toEqual([]);
});

test('the first read does not wait for the response, a later one has it', async () => {
  const { read, settled } = service([github]);
  expect((await read()).version_latest).toBeNull();
  await settled();
  expect(await read()).toEqual(found);
});

test('the release is requested once a day, also over restarts', async () => {
  const clock = fakeClock();
  const storage = memoryStorage();
  const first = service([github], { clock, storage });
  await first.read();
  await first.read();
  await first.settled();
  clock.advance(dayMs - 1);
  const second = service([JSON.stringify({ version: '6.2.0' })], { clock, storage });
  expect(await second.read()).toEqual(found);
  await second.settled();
  expect(second.asked).toEqual([]);
  clock.advance(1);
  expect(await second.read()).toEqual(found);
  await second.settled();
  expect((await second.read()).version_latest).toBe('6.2.0');
  expect([...first.asked, ...second.asked]).toEqual([url, url]);
});

test('another address is requested at once, and the environment overrides the settings', async () => {
  const storage = memoryStorage();
  const first = service([github], { storage });
  await first.read();
  await first.settled();
  const other = 'https://other.example.org/';
  const second = service([new Error('it answered 404')], {
    storage,
    environment: { variables: { SERVICE_RELEASES_URL: other } },
  });
  expect((await second.read()).version_latest).toBeNull();
  await second.settled();
  expect(second.asked).toEqual([other]);
});

test('the environment does not override an address that the administrator locked', async () => {
  for (const address of [url, '']) {
    const { read, asked, settled } = service([github], {
      address,
      environment: { variables: { SERVICE_RELEASES_URL: 'https://other.example.org/' } },
      context: { locks: () => ({ file: '/etc/hostler/settings.json', keys: ['releases.url'] }) },
    });
    await read();
    await settled();
    expect(asked).toEqual(address === '' ? [] : [url]);
  }
});

test('a failed attempt counts as the one of the day, and its reason says what happened', async () => {
  const { read, asked, settled } = service([new Error('it answered 404')]);
  await read();
  await settled();
  expect((await read()).reasons[0]).toEqual({
    field: 'version_latest',
    mendable: true,
    reason: `The release check at ${url} failed: it answered 404`,
  });
  await settled();
  expect(asked).toHaveLength(1);
});

test('after a failed attempt the previous result stays', async () => {
  const { read, clock, settled } = service([github, new Error('it did not answer')]);
  await read();
  await settled();
  clock.advance(dayMs);
  await read();
  await settled();
  expect(await read()).toEqual(found);
});

test('a clock that was set back does not delay the next attempt', async () => {
  const { read, asked, clock, settled } = service([github, github]);
  await read();
  await settled();
  clock.set(0);
  await read();
  await settled();
  expect(asked).toHaveLength(2);
});

test('an unreadable or foreign file counts as missing', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"url":1}',
    JSON.stringify({ url, at: 'x', release: { version: 'javascript:' } }),
  ]) {
    const { read, asked, settled } = service([github], { storage: memoryStorage({ '/state/release.json': text }) });
    await read();
    await settled();
    expect(asked).toEqual([url]);
  }
});

test('a result that cannot be saved is known until the service stops', async () => {
  const warnings: string[] = [];
  const log = { ...fakeContext().log, warn: (line: string) => void warnings.push(line) };
  const storage = {
    ...memoryStorage(),
    write: () => {
      throw new Error('disk full');
    },
  };
  const { read, settled } = service([github], { storage, context: { log } });
  await read();
  await settled();
  expect(await read()).toEqual(found);
  expect(warnings.map(withSlashes)).toEqual([
    'The result of the release check cannot be saved in /state/release.json: disk full',
  ]);
});

test.each([
  ['6.0.0', '6.0.0', false],
  ['6.0.0', '5.9.9', false],
  ['6.0.0', '6.0.1', true],
  ['6.1.0-beta.1', '6.1.0', true],
  ['6.0.0', '6.0.0-rc.1', false],
  ['by hand', '6.0.0', false],
])('%s is installed and %s the latest', async (installed, latest, newer) => {
  const { read, settled } = service([JSON.stringify({ version: latest })], { context: { version: installed } });
  await read();
  await settled();
  expect((await read()).version_newer_available).toBe(newer);
});

test.each<[string, { version: string; url: string | null }]>([
  [github, { version: '6.1.0', url: 'https://example.org/releases/v6.1.0' }],
  ['{"version":"6.1.0","url":"http://example.org/"}', { version: '6.1.0', url: 'http://example.org/' }],
  ['{"version":"6.1.0"}', { version: '6.1.0', url: null }],
  ['{"version":"6.1.0","url":"javascript:alert(1)"}', { version: '6.1.0', url: null }],
  ['{"version":"6.1.0","url":"file:///etc/passwd"}', { version: '6.1.0', url: null }],
  [`{"version":"6.1.0","url":"https://example.org/${'x'.repeat(2048)}"}`, { version: '6.1.0', url: null }],
  // GitHub's "url" is that of its API.
  ['{"tag_name":"6.1.0","url":"https://api.example.org/"}', { version: '6.1.0', url: null }],
])('the announcement %.60s is parsed', (text, release) => {
  expect(parseRelease(text)).toEqual(release);
});

test.each(['', '[]', '"6.1.0"', 'null', '{}', '{"version":6}', '{"tag_name":"nightly"}', '<html>'])(
  'the announcement %j is refused',
  (text) => {
    expect(() => parseRelease(text)).toThrow();
  },
);

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const list = JSON.stringify({
  kind: 'hostler-releases',
  issued: '2026-01-01T00:00:00Z',
  expires: '2027-01-01T00:00:00Z',
  releases: [{ version: '6.1.0', page: 'https://example.org/6.1.0' }, { version: '7.0.0-rc.1' }],
});
const signature = sign(null, Buffer.from(list), privateKey).toString('base64');
const signed = (given: object = {}) => JSON.stringify({ version: '9.9.9', list, signature, ...given });
const now = Date.UTC(2026, 5, 1);

test('the latest release of a signed list is reported if its signature is valid; a build without a key accepts it unverified', async () => {
  expect(await readAnnouncement(signed(), key, now)).toEqual({
    version: '6.1.0',
    url: 'https://example.org/6.1.0',
    issued: Date.UTC(2026, 0, 1),
  });
  await expect(readAnnouncement(signed({ list: `${list} ` }), key, now)).rejects.toThrow('signature');
  await expect(readAnnouncement(signed(), key, Date.UTC(2027, 5, 1))).rejects.toThrow('it expired on');
  await expect(readAnnouncement(signed(), key, Date.UTC(2025, 11, 1))).rejects.toThrow('in the future');
  expect((await readAnnouncement(signed(), null, now)).version).toBe('9.9.9');
});

test('a build with a key rejects unsigned announcements, and results saved by a build without one', async () => {
  await expect(readAnnouncement(github, key, now)).rejects.toThrow('it is not a signed release list');
  const clock = fakeClock();
  clock.set(now);
  const storage = memoryStorage();
  const without = service([github], { clock, storage });
  await without.read();
  await without.settled();
  expect((await without.read()).version_latest).toBe('6.1.0');
  const withKey = service([github], { clock, storage, key });
  expect((await withKey.read()).version_latest).toBeNull();
  await withKey.settled();
  const { version_latest, version_newer_available, reasons } = await withKey.read();
  expect({ version_latest, version_newer_available }).toEqual({ version_latest: null, version_newer_available: null });
  expect(reasons[0]).toEqual({
    field: 'version_latest',
    mendable: true,
    reason: `The release check at ${url} failed: it is not a signed release list`,
  });
  expect(withKey.asked).toHaveLength(1);
});

test('a verified result is saved for the next start with the same key', async () => {
  const clock = fakeClock();
  clock.set(now);
  const storage = memoryStorage();
  const first = service([signed()], { clock, storage, key });
  await first.read();
  await until(async () => (await first.read()).version_latest !== null, 'the verified list');
  const second = service([], { clock, storage, key });
  expect((await second.read()).version_latest).toBe('6.1.0');
  expect(second.asked).toEqual([]);
});

test('an older signed list does not replace a newer known one, also after a restart', async () => {
  const clock = fakeClock();
  clock.set(now);
  const storage = memoryStorage();
  const olderList = list.replace('2026-01-01', '2025-12-01').replaceAll('6.1.0', '6.0.0');
  const older = signed({
    list: olderList,
    signature: sign(null, Buffer.from(olderList), privateKey).toString('base64'),
  });
  const { read, asked } = service([older, signed()], { clock, storage, key });
  await read();
  await until(async () => (await read()).version_latest === '6.0.0', 'the older list');
  clock.advance(dayMs);
  await read();
  await until(async () => (await read()).version_latest === '6.1.0', 'the newer list');
  clock.advance(dayMs);
  const restarted = service([older], { clock, storage, key });
  await restarted.read();
  await until(() => storage.read('/state/release.json')?.includes('it is older than') ?? false, 'the refusal');
  expect((await restarted.read()).version_latest).toBe('6.1.0');
  expect([asked, restarted.asked]).toEqual([[url, url], [url]]);
});

test.each([
  ['http://releases.example.org/latest', 0],
  ['http://127.0.0.1.example.org/latest', 0],
  ['http://localhost.example.org/latest', 0],
  ['file:///etc/passwd', 0],
  ['http://localhost:8080/latest', 1],
  ['http://[::1]:8080/latest', 1],
  ['https://releases.example.org/latest', 1],
])('an address without transport security is not requested: %s', async (address, times) => {
  const { read, asked, settled } = service([github], { address });
  const { reasons } = await read();
  await settled();
  expect(asked).toHaveLength(times);
  if (times === 0)
    expect(reasons[0]).toMatchObject({ mendable: true, reason: expect.stringContaining('must begin with https://') });
});

test('a password in the address is not shown in the reasons', async () => {
  const { read, settled } = service([new Error('it answered 401')], {
    address: 'https://ann:sesame@releases.example.org/latest?key=sesame',
  });
  await read();
  await settled();
  const { reasons } = await read();
  expect(reasons[0]?.reason).toBe('The release check at https://releases.example.org/latest failed: it answered 401');
});
