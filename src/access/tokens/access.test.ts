import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage, withSlashes } from '../../../test/doubles/fake-host.ts';
import { allScopes, scopes } from '../../features/index.ts';
import { parseSearchDomains } from '../../host/linux/search-domains.ts';
import { createLockout } from '../limits/lockout.ts';
import { checkHostAndOrigin, type KnownNames } from '../origin/origin-check.ts';
import { createLoginCodes } from '../sessions/login-codes.ts';
import { openTokens } from './tokens.ts';

const paths = { config: '/config', state: '/state', runtime: null };

describe('tokens', () => {
  const open = (storage = memoryStorage(), clock = fakeClock()) => openTokens(scopes, { storage, paths, clock });

  test('the first token is created on demand, has 256 bits, and stays', () => {
    const storage = memoryStorage();
    const secret = open(storage).first();
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(open(storage).first()).toBe(secret);
    expect(open(storage).find(secret)).toMatchObject({ name: 'main', scopes: allScopes });
  });

  test('a wrong, empty or similar secret finds nothing', () => {
    const tokens = open();
    const secret = tokens.first();
    for (const wrong of ['', 'x', secret.slice(1), `${secret} `, secret.toLowerCase(), 'constructor'])
      expect(tokens.find(wrong)).toBeNull();
  });

  test('a created token has its scopes, and its secret is not on disk', () => {
    const storage = memoryStorage();
    const tokens = open(storage);
    tokens.first();
    const { secret, token } = tokens.create('ha', ['read', 'media']);
    expect(tokens.find(secret)).toMatchObject(token);
    expect(token.scopes).toEqual(['read', 'media']);
    expect([...storage.contents.values()].join()).not.toContain(secret);
  });

  test('scopes are added without a new secret or id; the first token has all of them', () => {
    const storage = memoryStorage();
    const tokens = open(storage);
    tokens.first();
    const { secret, token } = tokens.create('cursor', ['media', 'read'], 'agent');
    expect(tokens.addScopes('cursor', ['power', 'read'])).toEqual({ ...token, scopes: ['read', 'media', 'power'] });
    expect(open(storage).find(secret)).toMatchObject({
      id: token.id,
      kind: 'agent',
      scopes: ['read', 'media', 'power'],
    });
    expect(() => tokens.addScopes('main', ['power'])).toThrow('The first token has every scope already');
    expect(() => tokens.addScopes('other', ['power'])).toThrow('There is no token "other"');
  });

  test('a file of a newer version grants no access and is not overwritten, and the first token still works', () => {
    const storage = memoryStorage();
    const tokens = open(storage);
    const first = tokens.first();
    const { secret } = tokens.create('ha', ['read']);
    expect(JSON.parse(storage.contents.get('/state/tokens.json') ?? '')).toMatchObject({ version: 1 });
    const newer = (storage.contents.get('/state/tokens.json') ?? '').replace('"version": 1', '"version": 2');
    storage.write('/state/tokens.json', newer);
    const complaints: string[] = [];
    const later = openTokens(
      scopes,
      { storage, paths, clock: fakeClock() },
      (sentence) => void complaints.push(sentence),
    );
    expect(later.find(secret)).toBeNull();
    expect(later.find(first)?.name).toBe('main');
    expect(complaints).toEqual([expect.stringContaining('tokens.json has version 2')]);
    expect(() => later.create('other', ['read'])).toThrow('tokens.json has version 2');
    expect(() => later.revoke('ha')).toThrow('tokens.json has version 2');
    expect(storage.contents.get('/state/tokens.json')).toBe(newer);
  });

  test.each(['token', 'tokens.json'])('a file %s that another user planted grants nothing', (name) => {
    const storage = memoryStorage();
    const clock = fakeClock();
    const complaints: string[] = [];
    const tokens = openTokens(scopes, { storage, paths, clock }, (sentence) => void complaints.push(sentence));
    const first = tokens.first();
    expect(tokens.find(first)?.name).toBe('main');
    storage.write(`/state/${name}`, name === 'token' ? 'planted' : '{"version": 1, "tokens": []}');
    const { read } = storage;
    storage.read = (file, options) => {
      if (withSlashes(file) === `/state/${name}` && options?.owned)
        throw new Error(`${withSlashes(file)} belongs to another user (1001)`);
      return read(file);
    };
    clock.advance(1000);
    expect(tokens.find(first)?.name).toBe('main');
    expect(tokens.find('planted')).toBeNull();
    expect(complaints).toEqual([expect.stringContaining(`/state/${name} belongs to another user`)]);
    expect(() => (name === 'token' ? tokens.first() : tokens.create('x', ['read']))).toThrow('another user');
  });

  test('a list without a version is one of 6.0.0', () => {
    const storage = memoryStorage();
    const { secret } = open(storage).create('ha', ['read']);
    const { version: _, ...older } = JSON.parse(storage.contents.get('/state/tokens.json') ?? '');
    storage.write('/state/tokens.json', JSON.stringify(older));
    expect(open(storage).find(secret)?.name).toBe('ha');
  });

  test('a token for agents is known as one, after reading it back as well; one of an unknown kind is no token', () => {
    const storage = memoryStorage();
    const { secret } = open(storage).create('agent', ['read'], 'agent');
    expect(open(storage).find(secret)?.kind).toBe('agent');
    const general = open(storage).create('ha', ['read']).secret;
    expect(open(storage).find(general)?.kind).toBe('general');
    const text = storage.contents.get('/state/tokens.json') ?? '';
    storage.write('/state/tokens.json', text.replace('"kind": "general",', ''));
    expect(open(storage).find(general)?.kind).toBe('general');
    storage.write('/state/tokens.json', text.replace('"kind": "agent"', '"kind": "other"'));
    expect(open(storage).find(secret)).toBeNull();
  });

  test('without change notifications the files are polled every second while there is a follower', () => {
    const storage = memoryStorage();
    const clock = fakeClock();
    storage.watch = () => {
      throw new Error('EMFILE: too many open files');
    };
    const tokens = open(storage, clock);
    tokens.create('ha', ['read']);
    let changes = 0;
    const stop = tokens.follow(() => {
      changes++;
    });
    clock.advance(5000);
    expect(changes).toBe(0);
    open(storage, clock).revoke('ha');
    clock.advance(1000);
    expect(changes).toBe(1);
    stop();
    expect(clock.advanceToNext()).toBe(false);
  });

  test('a name is taken once, and has to be a name', () => {
    const tokens = open();
    tokens.create('ha', ['read']);
    expect(() => tokens.create('ha', ['read'])).toThrow('The token "ha" exists already');
    expect(() => tokens.create('main', ['read'])).toThrow('already');
    expect(() => tokens.create('a\nb', ['read'])).toThrow('A token name has');
  });

  test('a token revoked by another process is no longer found', () => {
    const storage = memoryStorage();
    const clock = fakeClock();
    const service = open(storage, clock);
    const { secret, token } = service.create('ha', ['read']);
    expect(service.granted(token.id)).toEqual(new Set(['read']));
    open(storage).revoke('ha');
    clock.advance(20);
    expect(service.find(secret)).toBeNull();
    expect(service.granted(token.id)).toBeNull();
  });

  test('a scope that was removed from the file is no longer granted, also to tokens found before', () => {
    const storage = memoryStorage();
    const clock = fakeClock();
    const service = open(storage, clock);
    const { secret, token } = service.create('ha', ['read', 'files']);
    expect(service.granted(token.id)).toEqual(new Set(['read', 'files']));
    const text = storage.read(service.file) ?? '';
    storage.write(service.file, text.replace(/"read",\s*/, ''));
    clock.advance(20);
    expect(service.granted(token.id)).toEqual(new Set(['files']));
    expect(service.find(secret)?.granted).toEqual(new Set(['files']));
  });

  test('rotating ends the old secret and gives the token a new identity', () => {
    const storage = memoryStorage();
    const tokens = open(storage);
    const first = tokens.first();
    const { id } = tokens.find(first) ?? { id: '' };
    const renewed = tokens.rotate('main');
    expect(tokens.find(first)).toBeNull();
    expect(tokens.find(renewed)?.name).toBe('main');
    expect(tokens.granted(id)).toBeNull();
    const { secret } = tokens.create('ha', ['read']);
    const next = tokens.rotate('ha');
    expect(tokens.find(secret)).toBeNull();
    expect(tokens.find(next)?.scopes).toEqual(['read']);
  });

  test('the first token cannot be revoked, an unknown one neither', () => {
    const tokens = open();
    expect(() => tokens.revoke('main')).toThrow('only replaced');
    expect(() => tokens.revoke('unknown')).toThrow('There is no token "unknown"');
  });

  test('a damaged token file grants no access', () => {
    const entry = '{"id":"1","name":"x","scopes":["admin","root"],"created":null,"sha256":"%"}';
    const half = memoryStorage({ '/state/tokens.json': `{"tokens":[${entry.replace('%', '')},null,7]}` });
    expect(open(half).find('')).toBeNull();
    expect(open(half).list()).toEqual([]);
  });

  test('a damaged file invalidates its own tokens only, is reported once, and is not overwritten', () => {
    const complaints: string[] = [];
    const clock = fakeClock();
    const storage = memoryStorage({ '/state/tokens.json': '{"tok' });
    const tokens = openTokens(scopes, { storage, paths, clock }, (sentence) => complaints.push(sentence));
    const secret = tokens.first();
    for (let round = 0; round < 5; round += 1) {
      clock.advance(100);
      expect(tokens.find(secret)?.name).toBe('main');
    }
    expect(complaints.map(withSlashes)).toEqual([
      '/state/tokens.json is damaged; remove it and create the tokens again',
    ]);
    expect(() => tokens.create('ha', ['read'])).toThrow('is damaged');
    expect(storage.contents.get('/state/tokens.json')).toBe('{"tok');
  });

  test.each([
    ['main ', 'no space at its ends'],
    [' main', 'A token name has'],
    ['Main', 'looks like, "main"'],
    ['MAlN', 'looks like, "main"'],
    ['ma1n', 'looks like, "main"'],
    ['cli', 'looks like, "cli"'],
    ['CL1', 'looks like, "cli"'],
    ['Command_Line', 'looks like, "command line"'],
    ['HA', 'looks like "ha"'],
    ['livingroorn', 'looks like "livingroom"'],
    ['LIVlNGR00M', 'looks like "livingroom"'],
    ['0FFICE_PC', 'looks like "office-pc"'],
    ['мain', 'A token name has'],
  ])('the name %j is refused, because it could be taken for another', (name, sentence) => {
    const tokens = open();
    tokens.first();
    for (const taken of ['ha', 'livingroom', 'office-pc']) tokens.create(taken, ['read']);
    expect(() => tokens.create(name, ['read'])).toThrow(sentence);
    expect(tokens.list()).toHaveLength(4);
  });

  test('a name that is the id of another token is refused', () => {
    const tokens = open();
    const { id } = tokens.find(tokens.first()) ?? { id: '' };
    const { token } = tokens.create('ha', ['read']);
    for (const taken of [id, token.id, token.id.toUpperCase()])
      expect(() => tokens.create(taken, ['read'])).toThrow('which is another token');
  });

  test('names of older versions stay valid, and an id selects the token that has it', () => {
    const entry = (id: string, name: string) => ({
      id,
      name,
      scopes: ['read'],
      kind: 'general',
      created: null,
      sha256: '0'.repeat(64),
    });
    const stored = [entry('1', 'Main'), entry('2', 'main '), entry('3', '4'), entry('4', 'ha')];
    const tokens = open(memoryStorage({ '/state/tokens.json': JSON.stringify({ tokens: stored }) }));
    expect(tokens.list().map(({ name }) => name)).toEqual(['Main', 'main ', '4', 'ha']);
    expect(tokens.revoke('4').name).toBe('ha');
    expect(tokens.revoke('Main').id).toBe('1');
  });
});

describe('wrong tokens', () => {
  test('ten a minute are checked, then all are refused unchecked for a minute', () => {
    const clock = fakeClock();
    const lockout = createLockout(clock);
    for (let count = 0; count < 10; count += 1) expect(lockout.wrong('192.0.2.1')).toBeNull();
    expect(lockout.wrong('192.0.2.1')).toEqual({ retryAfterSeconds: 60, justShut: true });
    clock.advance(30_000);
    expect(lockout.wrong('192.0.2.1')).toEqual({ retryAfterSeconds: 30, justShut: false });
    expect(lockout.wrong('192.0.2.2')).toBeNull();
    clock.advance(30_000);
    expect(lockout.wrong('192.0.2.1')).toBeNull();
  });

  test('addresses of one IPv6 network count as one', () => {
    const lockout = createLockout(fakeClock());
    for (let count = 0; count < 10; count += 1) lockout.wrong(`2001:db8:1:2::${count}`);
    expect(lockout.wrong('2001:db8:1:2:ffff::1')).not.toBeNull();
    expect(lockout.wrong('2001:db8:1:3::1')).toBeNull();
  });

  test('above the limit the oldest addresses are forgotten', () => {
    const lockout = createLockout(fakeClock());
    for (let count = 0; count < 11; count += 1) lockout.wrong('192.0.2.1');
    for (let count = 0; count < 5000; count += 1) lockout.wrong(`198.51.${count >> 8}.${count & 255}`);
    expect(lockout.wrong('192.0.2.1')).toBeNull();
  });
});

describe('web pages', () => {
  const known: KnownNames = {
    names: new Set(['localhost', '127.0.0.1', '::1', 'laptop', '192.0.2.7']),
    searchDomains: ['corp.example'],
    allowedHosts: ['pc.example.org', 'nas.example.org:9170', 'tv.example.org.'],
    allowedOrigins: ['https://dash.example.org'],
  };
  const check =
    (host: string | null, origin: string | null = null) =>
    () =>
      checkHostAndOrigin({ host, origin, port: 9170 }, known);

  test.each([
    '127.0.0.1:9170',
    '192.0.2.7:9170',
    '203.0.113.5',
    '[::1]:9170',
    '[fe80::1%eth0]:9170',
    'localhost:9170',
    'LAPTOP:9170',
    'laptop',
    'laptop.local',
    'laptop.local.:9170',
    'nas.lan',
    'x.home',
    'x.internal',
    'x.home.arpa',
    'x.localdomain',
    'x.fritz.box',
    'x.tail1234.ts.net',
    'laptop.corp.example',
    'PC.example.org:80',
    'nas.example.org',
    'tv.example.org:9170',
    'single-label',
  ])('the host %s belongs to this machine', (host) => {
    expect(check(host)).not.toThrow();
  });

  test.each([
    'evil.example',
    'laptop.evil.example',
    'other.corp.example',
    'local.evil.example',
    'a,b',
    'evil.example:9170',
    '',
    'a b',
    'user@laptop',
    'laptop/x',
    'evil.example?.local',
    'localhost#',
    'a%2eb.local',
    'localhost:99999',
    '[::1',
    'laptop:x',
    '127.0.0.1.evil.example',
    'ts.net.evil',
  ])('the host %j does not', (host) => {
    expect(check(host)).toThrow();
  });

  test('the refusal of a host names the setting that would allow it', () => {
    expect(check('evil.example')).toThrow('security.allowedHosts');
  });

  test.each([
    ['http://127.0.0.1:9170', '127.0.0.1:9170'],
    ['http://localhost:9170', '127.0.0.1:9170'],
    ['http://laptop.local:9170', 'laptop.local:9170'],
    ['https://pc.example.org', 'pc.example.org'],
    ['https://dash.example.org', '127.0.0.1:9170'],
    ['http://[::1]:9170', 'localhost:9170'],
  ])('a page of %s may ask %s', (origin, host) => {
    expect(check(host, origin)).not.toThrow();
  });

  test.each([
    ['http://evil.example', '127.0.0.1:9170'],
    ['http://127.0.0.1:8080', '127.0.0.1:9170'],
    ['http://localhost', '127.0.0.1:9170'],
    ['null', '127.0.0.1:9170'],
    ['https://127.0.0.1:9170', 'localhost:9170'],
    ['http://laptop.local', 'laptop.local:9170'],
    ['http://other.local:9170', 'laptop.local:9170'],
    ['http://127.0.0.1:9170, http://evil.example', '127.0.0.1:9170'],
    ['file://', 'localhost:9170'],
    ['', '127.0.0.1:9170'],
    ['http://127.0.0.1:9170/path', '127.0.0.1:9170'],
    ['chrome-extension://abc', '127.0.0.1:9170'],
  ])('a page of %j may not ask %s', (origin, host) => {
    expect(check(host, origin)).toThrow();
  });

  const checkSecure = (host: string, origin: string) => () =>
    checkHostAndOrigin({ host, origin, port: 9171, isSecure: true }, known);

  test.each([
    ['https://127.0.0.1:9171', '127.0.0.1:9171'],
    ['https://localhost:9171', '127.0.0.1:9171'],
    ['https://laptop.local:9171', 'laptop.local:9171'],
    ['https://pc.example.org', 'pc.example.org'],
    ['https://dash.example.org', '127.0.0.1:9171'],
  ])('over TLS a page of %s may ask %s', (origin, host) => {
    expect(checkSecure(host, origin)).not.toThrow();
  });

  test.each([
    ['http://127.0.0.1:9171', '127.0.0.1:9171'],
    ['http://127.0.0.1:9170', '127.0.0.1:9171'],
    ['https://127.0.0.1:9170', '127.0.0.1:9171'],
    ['https://localhost', '127.0.0.1:9171'],
    ['https://evil.example:9171', '127.0.0.1:9171'],
  ])('over TLS a page of %s may not ask %s', (origin, host) => {
    expect(checkSecure(host, origin)).toThrow();
  });

  test('a request without Host passes only without Origin', () => {
    expect(check(null)).not.toThrow();
    expect(check(null, 'http://evil.example')).toThrow();
  });

  test('the last search or domain line of resolv.conf counts', () => {
    expect(parseSearchDomains('domain a.example\nnameserver 1.1.1.1\nsearch Corp.Example. lab.example\n')).toEqual([
      'corp.example',
      'lab.example',
    ]);
    expect(parseSearchDomains('search .\n')).toEqual([]);
  });
});

describe('one-time codes', () => {
  test('a code is valid once and for a minute', () => {
    const clock = fakeClock();
    const storage = memoryStorage();
    const codes = createLoginCodes({ storage, paths, clock });
    expect(codes.redeem('')).toBe(false);
    const code = codes.issue();
    expect([...storage.contents.values()].join()).not.toContain(code);
    expect(codes.redeem('wrong')).toBe(false);
    expect(codes.redeem(code)).toBe(true);
    expect(codes.redeem(code)).toBe(false);
    const late = codes.issue();
    expect(codes.redeem('wrong')).toBe(false);
    clock.advance(60_001);
    expect(codes.redeem(late)).toBe(false);
  });

  test('wrong codes lock, read and write nothing, however many', () => {
    const storage = memoryStorage();
    const codes = createLoginCodes({ storage, paths, clock: fakeClock() });
    const done: string[] = [];
    const noting = <A extends unknown[], R>(name: string, work: (...given: A) => R) => {
      return (...given: A) => {
        done.push(name);
        return work(...given);
      };
    };
    const watched: typeof storage = {
      ...storage,
      read: noting('read', storage.read),
      write: noting('write', storage.write),
      remove: noting('remove', storage.remove),
      locked(file, work) {
        done.push('locked');
        return storage.locked(file, work);
      },
    };
    const code = codes.issue();
    const taking = createLoginCodes({ storage: watched, paths, clock: fakeClock() });
    for (let count = 0; count < 1000; count++) expect(taking.redeem(`wrong ${count}`)).toBe(false);
    // Once, to know what waits.
    expect(done).toEqual(['read']);
    expect(taking.redeem(code)).toBe(true);
    expect(done).toEqual(['read', 'locked', 'read', 'remove']);
  });
});
