import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import type { Scope } from '../access/scopes.ts';
import { createFileTickets } from '../access/tokens/file-tickets.ts';
import { allScopes } from '../features/index.ts';
import type { Caller } from './caller.ts';
import { createFileService } from './file-service.ts';

const from = (address: string) => () => ({ address, forwarded: false, isOurUser: async () => false });
const caller = (tokenId: string, given: Partial<Caller> = {}): Caller => ({
  tokenId,
  tokenName: tokenId,
  scopes: new Set(allScopes),
  connection: from('192.0.2.1'),
  ...given,
});
const song = { base: 'music', path: 'a.flac' };

test('a ticket opens its file from the same address until its token is revoked', () => {
  const revoked = new Set<string>();
  const files = createFileService(createFileTickets(fakeClock()), ({ tokenId }) => !revoked.has(tokenId));
  const { ticket } = files.ticket(song, caller('one'));
  expect(files.open(ticket, from('192.0.2.1'))).toEqual({ ...song, tokenId: 'one' });
  expect(() => files.open(ticket, from('192.0.2.2'))).toThrow('has expired');
  expect(() => files.open('guess', from('192.0.2.1'))).toThrow('has expired');
  revoked.add('one');
  expect(() => files.open(ticket, from('192.0.2.1'))).toThrow('has expired');
});

test('a ticket needs the scope files of its token, and no other, for as long as it is used', () => {
  const left = new Set<Scope>(['files']);
  const files = createFileService(createFileTickets(fakeClock()), ({ scopes }) => scopes.isSubsetOf(left));
  const { ticket } = files.ticket(song, caller('one'));
  expect(files.open(ticket, from('192.0.2.1'))).toEqual({ ...song, tokenId: 'one' });
  left.delete('files');
  expect(() => files.open(ticket, from('192.0.2.1'))).toThrow('has expired');
});

test('getting a ticket needs the scope files, and renewing it needs the same caller', () => {
  const files = createFileService(createFileTickets(fakeClock()), () => true);
  expect(() => files.ticket(song, caller('one', { scopes: new Set(['read']) }))).toThrow('files');
  const { ticket } = files.ticket(song, caller('one'));
  expect(files.renew(ticket, caller('one')).ticket).toBe(ticket);
  expect(() => files.renew(ticket, caller('two'))).toThrow('request a new one');
  expect(() => files.renew(ticket, caller('one', { scopes: new Set(['read']) }))).toThrow('files');
});

test('the sessions of one token share a limit, so that they end no tickets of others', () => {
  const files = createFileService(createFileTickets(fakeClock()), () => true);
  const { ticket } = files.ticket(song, caller('other'));
  for (let session = 0; session < 49; session += 1)
    for (let at = 0; at < 21; at += 1) files.ticket(song, caller(`browser-${session}`, { shareId: 'one' }));
  expect(files.open(ticket, from('192.0.2.1'))).toMatchObject({ tokenId: 'other' });
});
