import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { scopes } from '../../features/index.ts';
import type { createPaths } from '../../host/paths.ts';
import type { Storage } from '../../host/storage.ts';
import { sha256 } from '../../lib/digest.ts';
import { openTokens } from './tokens.ts';

const hash = (secret: string) => sha256(secret).toString('hex');
const line = (given: object) => JSON.stringify({ name: 'prometheus', scopes: ['read'], sha256: hash('s1'), ...given });

function open(files: Record<string, string>) {
  let version = 0;
  const machine: NonNullable<Storage['machine']> = {
    directory: '/etc/hostler',
    list: () => Object.keys(files),
    read(name) {
      const text = files[name.replace('tokens.d/', '')];
      return text === undefined ? null : text === 'REFUSED' ? { refusal: 'it belongs to mallory' } : { text };
    },
    write: async () => {},
    signature: () => `${version} ${Object.keys(files)}`,
    watch: () => () => {},
  };
  const clock = fakeClock();
  const said: string[] = [];
  const paths = { state: '/state' } as ReturnType<typeof createPaths>;
  const host = { storage: { ...memoryStorage(), machine }, paths, clock };
  const tokens = openTokens(scopes, host, (sentence) => void said.push(sentence));
  const change = () => {
    version += 1;
    clock.advance(2000);
  };
  return { tokens, said, change, files, machine, clock };
}

describe('tokens of the administrator', () => {
  test('grant what their file says, and nothing else', () => {
    const { tokens, said } = open({ 'prometheus.json': line({}) });
    expect(tokens.find('s1')).toMatchObject({ name: 'prometheus', scopes: ['read'], kind: 'general' });
    expect(tokens.find(hash('s1'))).toBeNull();
    expect(said).toEqual([]);
  });

  test('stay while their directory or a file in it cannot be read, and are read after that', () => {
    const { tokens, change, files, machine, said, clock } = open({ 'prometheus.json': line({}) });
    const { list, read } = machine;
    const fail = () => {
      throw new Error('EMFILE: too many open files');
    };
    expect(tokens.find('s1')).not.toBeNull();
    files['prometheus.json'] = line({ scopes: ['media'] });
    machine.list = fail;
    change();
    expect(tokens.find('s1')?.scopes).toEqual(['read']);
    machine.list = list;
    machine.read = fail;
    clock.advance(2000);
    expect(tokens.find('s1')?.scopes).toEqual(['read']);
    expect(said).toEqual([expect.stringContaining('EMFILE')]);
    machine.read = read;
    clock.advance(2000);
    expect(tokens.find('s1')?.scopes).toEqual(['media']);
  });

  test('end soon after their file is removed or their scopes change', () => {
    const { tokens, change, files } = open({ 'prometheus.json': line({}) });
    const id = tokens.find('s1')?.id ?? '';
    files['prometheus.json'] = line({ scopes: ['media'] });
    change();
    expect(tokens.granted(id)).toBeNull();
    expect(tokens.find('s1')?.scopes).toEqual(['media']);
    delete files['prometheus.json'];
    change();
    expect(tokens.find('s1')).toBeNull();
  });

  test.each([
    ['nonsense', 'JSON'],
    ['null', '"name" is missing'],
    [line({ sha256: 'abc' }), 'sha256'],
    [line({ scopes: [] }), 'at least one scope'],
    [line({ scopes: ['read', 'everything'] }), 'there is no scope "everything"'],
    [line({ name: 'main' }), 'already'],
    [line({ version: 2 }), 'a newer Hostler wrote it'],
    [line({ version: '1' }), 'a newer Hostler wrote it'],
    [line({ name: 'a\u001b[31m' }), 'A token name'],
    ['REFUSED', 'it belongs to mallory'],
  ])('are refused with a log line if the file is %j', (text, reason) => {
    const { tokens, said } = open({ 'bad.json': text, 'good.json': line({ name: 'good', sha256: hash('s2') }) });
    expect(tokens.find('s1')).toBeNull();
    expect(tokens.find('s2')?.name).toBe('good');
    expect(said).toEqual([expect.stringContaining(reason)]);
  });

  test('cannot be revoked or rotated by the user, and their names are taken', () => {
    const { tokens } = open({ 'prometheus.json': line({}) });
    expect(() => tokens.revoke('prometheus')).toThrow('by its administrator');
    expect(() => tokens.rotate('prometheus')).toThrow('by its administrator');
    expect(() => tokens.create('prometheus', ['read'])).toThrow('already');
    expect(tokens.find('s1')).not.toBeNull();
  });

  test('other files than .json are ignored', () => {
    expect(open({ README: 'x', 'prometheus.json~': line({}) }).tokens.find('s1')).toBeNull();
  });
});
