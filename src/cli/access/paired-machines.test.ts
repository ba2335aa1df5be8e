import { expect, test } from 'bun:test';
import { memoryStorage } from '../../../test/doubles/fake-host.ts';
import { openPairedMachines, toServiceUrl } from './paired-machines.ts';

test.each([
  ['desk', 'http://desk:9170'],
  ['desk:80', 'http://desk:80'],
  ['desk.lan:1234', 'http://desk.lan:1234'],
  ['192.168.1.5', 'http://192.168.1.5:9170'],
  ['::1', 'http://[::1]:9170'],
  ['[fe80::1]:99', 'http://[fe80::1]:99'],
  ['http://desk/', 'http://desk:9170'],
  ['http://Desk:80', 'http://desk:80'],
  ['https://desk:9171', 'https://desk:9171'],
  ['https://desk', 'https://desk:9171'],
  ['https://desk:443', 'https://desk:443'],
])('the typed address "%s" is the URL %s', (typed, url) => {
  expect(toServiceUrl(typed)).toBe(url);
});

test.each(['', 'http://', 'ftp://desk', 'http://user@desk', 'desk/path', 'desk?x', 'a b', 'desk:99999'])(
  '%j is not the address of a machine',
  (typed) => {
    expect(() => toServiceUrl(typed)).toThrow('is not the address of a machine');
  },
);

test('a new token of a machine replaces the previous one, and can be removed', () => {
  const storage = memoryStorage();
  const machines = openPairedMachines({ storage, paths: { config: '/c', state: '/s', runtime: null } });
  const machine = {
    address: 'http://desk:9170',
    token: 'one',
    name: 'laptop',
    scopes: ['read' as const],
    paired: 'now',
  };
  machines.keep(machine);
  machines.keep({ ...machine, address: 'http://other:9170' });
  machines.keep({ ...machine, token: 'two' });
  expect(machines.list().map(({ address, token }) => [address, token])).toEqual([
    ['http://other:9170', 'one'],
    ['http://desk:9170', 'two'],
  ]);
  expect(machines.find('http://desk:9170')?.token).toBe('two');
  expect([machines.forget('http://desk:9170'), machines.forget('http://desk:9170')]).toEqual([true, false]);
  storage.write('/s/machines.json', '{"machines": [null, 3, {"address": 1}, {"address": "a"}]}');
  expect(machines.list()).toEqual([]);
  storage.write('/s/machines.json', '{');
  expect(() => machines.list()).toThrow('damaged');
});
