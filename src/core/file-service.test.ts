import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import type { Scope } from '../access/scopes.ts';
import { createFileTickets } from '../access/tokens/file-tickets.ts';
import { allScopes } from '../features/index.ts';
import type { Caller } from './caller.ts';
import { createFileDesk } from './file-service.ts';

const from = (address: string) => () => ({ address, forwarded: false, isOurUser: async () => false });
const caller = (tokenId: string, given: Partial<Caller> = {}): Caller => ({
  tokenId,
  tokenName: tokenId,
  scopes: new Set(allScopes),
  connection: from('192.0.2.1'),
  ...given,
});
const song = { base: 'music', path: 'a.flac' };

test('a ticket opens its file, from the same address, until whoever asked for it is shut out', () => {
  const revoked = new Set<string>();
  const desk = createFileDesk(createFileTickets(fakeClock()), ({ tokenId }) => !revoked.has(tokenId));
  const { ticket } = desk.ticket(song, caller('one'));
  expect(desk.open(ticket, from('192.0.2.1'))).toEqual(song);
  expect(() => desk.open(ticket, from('192.0.2.2'))).toThrow('has run out');
  expect(() => desk.open('guess', from('192.0.2.1'))).toThrow('has run out');
  revoked.add('one');
  expect(() => desk.open(ticket, from('192.0.2.1'))).toThrow('has run out');
});

test('a ticket needs the scope files of its token, and no other, for as long as it is used', () => {
  const left = new Set<Scope>(['files']);
  const desk = createFileDesk(createFileTickets(fakeClock()), ({ scopes }) => scopes.isSubsetOf(left));
  const { ticket } = desk.ticket(song, caller('one'));
  expect(desk.open(ticket, from('192.0.2.1'))).toEqual(song);
  left.delete('files');
  expect(() => desk.open(ticket, from('192.0.2.1'))).toThrow('has run out');
});

test('it takes the scope files to get one, and the same caller to renew it', () => {
  const desk = createFileDesk(createFileTickets(fakeClock()), () => true);
  expect(() => desk.ticket(song, caller('one', { scopes: new Set(['read']) }))).toThrow('files');
  const { ticket } = desk.ticket(song, caller('one'));
  expect(desk.renew(ticket, caller('one')).ticket).toBe(ticket);
  expect(() => desk.renew(ticket, caller('two'))).toThrow('ask for a new one');
  expect(() => desk.renew(ticket, caller('one', { scopes: new Set(['read']) }))).toThrow('files');
});
