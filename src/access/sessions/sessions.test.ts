import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { scopes } from '../../features/index.ts';
import { createSealedIds } from '../sealed-ids.ts';
import { createFileTickets } from '../tokens/file-tickets.ts';
import { openTokens } from '../tokens/tokens.ts';
import { browserNameOf } from './browser-name.ts';
import { signedText } from './session-proof.ts';
import { openBrowserSessions, pairedTokenId } from './sessions.ts';

const paths = { config: '/config', state: '/state', runtime: null };
const hour = 3600_000;
const origin = 'http://localhost:9170';

async function makeKey() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  const publicKey = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey)).toString('base64url');
  const sign = async (id: string, challenge: string) => ({
    origin,
    id,
    challenge,
    signature: Buffer.from(
      await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        pair.privateKey,
        new TextEncoder().encode(signedText({ origin, id, challenge })),
      ),
    ).toString('base64url'),
  });
  return { publicKey, sign };
}

async function signedIn({ stay = false, withKey = true } = {}) {
  const storage = memoryStorage();
  const clock = fakeClock();
  const tokens = openTokens(scopes, { storage, paths, clock });
  const start = () => openBrowserSessions(scopes, { storage, paths, clock }, tokens);
  const browsers = start();
  const grant = tokens.find(tokens.create('tablet', ['read', 'files']).secret);
  if (grant === null) throw new Error('the token is not found');
  const key = await makeKey();
  const wanted = { name: 'Firefox on Linux', address: '192.0.2.1', stay, key: withKey ? key.publicKey : null };
  const first = await browsers.open(grant, wanted);
  const resume = async (of = browsers, address = '192.0.2.1') =>
    await of.resume(await key.sign(first.session.id, of.challenge().challenge), address);
  return { storage, clock, tokens, start, browsers, grant, key, wanted, first, resume };
}

describe('a browser that signed in', () => {
  test('has the scopes of its token, for five minutes; nothing that it holds is on disk', async () => {
    const { storage, clock, browsers, first } = await signedIn();
    expect(browsers.find(first.token)).toMatchObject({ name: 'Firefox on Linux', kind: 'browser' });
    expect([...(browsers.find(first.token)?.granted ?? [])]).toEqual(['read', 'files']);
    expect([...storage.contents.values()].join()).not.toContain(first.token);
    clock.advance(first.expires_in * 1000 - 1);
    expect(browsers.find(first.token)).not.toBeNull();
    clock.advance(1);
    expect(browsers.find(first.token)).toBeNull();
    expect(browsers.valid(first.session.id)).toBe(true);
  });

  test('shares the limits of its token; a paired one has its own', async () => {
    const { browsers, grant, wanted, first } = await signedIn();
    const second = await browsers.open(grant, wanted);
    expect([first, second].map(({ token }) => browsers.find(token)?.shareId)).toEqual([grant.id, grant.id]);
    const paired = await browsers.open({ ...grant, id: pairedTokenId }, wanted);
    expect(browsers.find(paired.token)?.shareId).toBe(paired.session.id);
  });

  test('that changes its address with every request is written every ten seconds at most', async () => {
    const { storage, clock, resume, browsers } = await signedIn();
    clock.advance(10_000);
    let writes = 0;
    const { write } = storage;
    storage.write = (file, text) => {
      if (file.endsWith('browsers.json')) writes += 1;
      write(file, text);
    };
    for (let at = 0; at < 10; at += 1) await resume(browsers, `192.0.2.${2 + (at % 2)}`);
    expect(writes).toBe(1);
    clock.advance(10_000);
    await resume(browsers, '192.0.2.9');
    expect(writes).toBe(2);
    expect(browsers.list()[0]?.address).toBe('192.0.2.9');
  });

  test('loses the scopes that its token loses, and gains none later', async () => {
    const { storage, clock, tokens, browsers, first } = await signedIn();
    const edit = (scopes: string[]) => {
      const stored = JSON.parse(storage.read(tokens.file) ?? '');
      stored.tokens[0].scopes = scopes;
      storage.write(tokens.file, JSON.stringify(stored));
      clock.advance(20);
    };
    edit(['files', 'power']);
    expect(browsers.find(first.token)?.granted).toEqual(new Set(['files']));
    expect(browsers.granted(first.session.id)).toEqual(new Set(['files']));
    expect(browsers.list().map(({ scopes }) => scopes)).toEqual([['files']]);
    edit([]);
    expect(browsers.granted(first.session.id)).toEqual(new Set());
    tokens.revoke('tablet');
    expect(browsers.granted(first.session.id)).toBeNull();
  });

  test('gets the next token for a signed challenge, also after a restart, which invalidates old tokens', async () => {
    const { start, first, resume } = await signedIn();
    const next = await resume();
    expect(next?.session.id).toBe(first.session.id);
    const restarted = start();
    expect(restarted.find(next?.token ?? '')).toBeNull();
    const again = await resume(restarted);
    expect(restarted.find(again?.token ?? '')).toMatchObject({ id: first.session.id });
  });

  test('is refused for a signature of another key, over another text, a replay, or one made in advance', async () => {
    const { browsers, start, key, first, clock } = await signedIn();
    const { id } = first.session;
    const other = await makeKey();
    const { challenge } = browsers.challenge();
    expect(await browsers.resume(await other.sign(id, challenge), '')).toBeNull();
    expect(await browsers.resume({ ...(await key.sign(id, 'another')), challenge }, '')).toBeNull();
    expect(await browsers.resume(await key.sign('browser-other', challenge), '')).toBeNull();
    expect(await browsers.resume({ origin, id, challenge, signature: 'no' }, '')).toBeNull();
    const good = await key.sign(id, challenge);
    // A program at another port passes on what a page of that port signed.
    const elsewhere = { ...good, origin: 'http://localhost:39170' };
    expect(await browsers.resume(elsewhere, '')).toBeNull();
    const both = await Promise.all([browsers.resume(good, ''), browsers.resume(good, '')]);
    expect(both.filter((answer) => answer !== null)).toHaveLength(1);
    expect(await browsers.resume(good, '')).toBeNull();
    // A squatter may have anything signed while it has the port, but no challenge of the service that comes afterwards.
    const before = await key.sign(id, browsers.challenge().challenge);
    expect(await start().resume(before, '')).toBeNull();
    const late = await key.sign(id, browsers.challenge().challenge);
    clock.advance(60_001);
    expect(await browsers.resume(late, '')).toBeNull();
  });

  test('ends with its token, when any process ends it, and when it expires', async () => {
    const { tokens, browsers, first, clock, start, grant, wanted } = await signedIn();
    const second = await browsers.open(grant, wanted);
    start().end(second.session.id);
    clock.advance(20);
    expect(browsers.find(second.token)).toBeNull();
    expect(browsers.list().map(({ id }) => id)).toEqual([first.session.id]);
    expect(() => browsers.end('browser-unknown')).toThrow('no browser session');
    tokens.revoke('tablet');
    expect(browsers.find(first.token)).toBeNull();
    expect(browsers.list()).toEqual([]);
  });

  test('of one tab ends after 12 hours of silence, one that stays after 30 days; use renews both', async () => {
    const short = await signedIn();
    short.clock.advance(11 * hour);
    expect(await short.resume()).not.toBeNull();
    short.clock.advance(11 * hour);
    expect(await short.resume()).not.toBeNull();
    short.clock.advance(12 * hour);
    expect(await short.resume()).toBeNull();
    const long = await signedIn({ stay: true });
    long.clock.advance(29 * 24 * hour);
    expect(await long.resume()).not.toBeNull();
    long.clock.advance(30 * 24 * hour);
    expect(await long.resume()).toBeNull();
  });

  test('without a key lasts 12 hours at most, never longer than the service, and does not stay', async () => {
    const { browsers, first, clock, start, storage } = await signedIn({ stay: true, withKey: false });
    expect(first.session.stay).toBe(false);
    clock.advance(12 * hour - 1);
    expect(browsers.find(first.token)).not.toBeNull();
    start().clear();
    expect(storage.contents.get('/state/browsers.json')).toContain('"sessions": []');
    clock.advance(20);
    expect(browsers.find(first.token)).toBeNull();
  });

  test('followers are notified of its end and not of its use', async () => {
    const { browsers, first, clock, start, storage, resume } = await signedIn();
    let changed = () => {};
    storage.watch = (_directory, callback) => {
      changed = () => callback(null);
      return () => {};
    };
    let ends = 0;
    browsers.follow(() => {
      ends += 1;
    });
    clock.advance(hour);
    await resume();
    changed();
    expect(ends).toBe(0);
    start().end(first.session.id);
    changed();
    expect(ends).toBe(1);
  });

  test('at most 50 exist: the least recently used one ends', async () => {
    const { browsers, grant, wanted, first, clock } = await signedIn();
    for (let count = 0; count < 50; count += 1) {
      clock.advance(1);
      await browsers.open(grant, wanted);
    }
    expect(browsers.list()).toHaveLength(50);
    expect(browsers.valid(first.session.id)).toBe(false);
  });

  test('repeated sign-ins with one token do not end sessions of another', async () => {
    const { browsers, tokens, wanted, first, clock } = await signedIn();
    const another = tokens.find(tokens.create('doorbell', ['notify']).secret);
    if (another === null) throw new Error('the token is not found');
    for (let count = 0; count < 60; count += 1) {
      clock.advance(1);
      await browsers.open(another, wanted);
    }
    expect(browsers.list()).toHaveLength(50);
    expect(browsers.valid(first.session.id)).toBe(true);
  });

  test.each(['', 'x', 'A'.repeat(87), `${'B'.repeat(86)}=`])('%j is no key', async (key) => {
    const { browsers, grant, wanted } = await signedIn();
    await expect(browsers.open(grant, { ...wanted, key })).rejects.toThrow('must be a P-256 key');
  });

  test('a damaged file ends all sessions, and the next change rewrites it', async () => {
    const { storage, browsers, grant, wanted, clock } = await signedIn();
    storage.write('/state/browsers.json', '{"sess');
    clock.advance(20);
    expect(browsers.list()).toEqual([]);
    await browsers.open(grant, wanted);
    expect(browsers.list()).toHaveLength(1);
  });

  test('a file that cannot be read for lack of descriptors ends none; one that others can change ends all', async () => {
    const { storage, clock, grant, tokens, wanted } = await signedIn();
    const complaints: string[] = [];
    const browsers = openBrowserSessions(scopes, { storage, paths, clock }, tokens, (said) => complaints.push(said));
    const { read } = storage;
    storage.read = () => {
      throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
    };
    expect(browsers.list()).toEqual([]);
    storage.read = read;
    clock.advance(20);
    expect(browsers.list()).toHaveLength(1);
    await browsers.open(grant, wanted);
    storage.read = () => {
      throw new Error('others can change it');
    };
    clock.advance(20);
    expect([browsers.list(), browsers.list(), complaints.length]).toEqual([[], [], 1]);
  });
});

test('challenges do not show how long the machine runs', () => {
  const clock = fakeClock();
  const times = [createSealedIds(clock, 60_000), createSealedIds(clock, 60_000)].map(
    (each) => each.issue().split('.')[0],
  );
  expect(times[0]).not.toBe(times[1]);
});

test('challenges take no memory, and one with a changed character is refused', () => {
  const clock = fakeClock();
  const challenges = createSealedIds(clock, 60_000);
  const challenge = challenges.issue();
  expect(challenges.find(challenge)).toBe('');
  for (let at = 0; at < challenge.length - 1; at += 1) {
    const other = challenge[at] === 'A' ? 'B' : 'A';
    expect(challenges.find(challenge.slice(0, at) + other + challenge.slice(at + 1))).toBeNull();
  }
  expect(createSealedIds(clock, 60_000).find(challenge)).toBeNull();
  expect(['', '.', `${challenge}x`].map(challenges.find)).toEqual([null, null, null]);
});

test('a ticket is for one file, for a minute and a half from its last renewal; above the limit the oldest is deleted', () => {
  const clock = fakeClock();
  const tickets = createFileTickets(clock);
  const place = { base: 'music', path: 'a.flac', tokenId: 'browser-1', address: '::1' };
  const secret = tickets.issue(place, 'one');
  clock.advance(60_000);
  expect(tickets.renew(secret)).toBe(true);
  clock.advance(89_999);
  expect(tickets.find(secret)).toEqual(place);
  clock.advance(1);
  expect([tickets.find(secret), tickets.renew(secret)]).toEqual([null, false]);
  const [first = ''] = Array.from({ length: 33 }, () => tickets.issue(place, 'one'));
  expect(tickets.find(first)).toBeNull();
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) AppleWebKit/605.1 Version/18.0 Safari/604.1', 'Safari on iPhone'],
  ['<script>\u202e', 'A browser'],
  ['', 'A browser'],
])('the user agent "%s" is named "%s"', (userAgent, name) => {
  expect(browserNameOf(userAgent)).toBe(name);
});
