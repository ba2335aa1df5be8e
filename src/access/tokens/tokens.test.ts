import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage, withSlashes } from '../../../test/doubles/fake-host.ts';
import { allScopes, scopes } from '../../features/index.ts';
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

  test('tokens stay valid while their file cannot be opened for lack of descriptors', () => {
    const clock = fakeClock();
    const storage = memoryStorage();
    const tokens = open(storage, clock);
    const { secret } = tokens.create('ha', ['read']);
    expect(tokens.find(secret)?.name).toBe('ha');
    const { read } = storage;
    storage.read = (file, options) => {
      if (file.endsWith('tokens.json')) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      return read(file, options);
    };
    storage.write('/state/token', 'another');
    clock.advance(2000);
    expect(tokens.find(secret)?.name).toBe('ha');
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
    ['MQTT', 'looks like, "mqtt"'],
    ['The User', 'looks like, "the user"'],
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
