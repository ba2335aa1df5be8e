import { expect, test } from 'bun:test';
import { scopes } from '../features/index.ts';
import { createScopes, type ScopeDeclaration } from './scopes.ts';

/** Scopes of 6.0: their order stays, and new ones may come between them. */
const published =
  'read files media notify chat control input pointer screen clipboard power processes services containers command admin';
const known = (names: readonly string[]) => names.filter((name) => published.split(' ').includes(name)).join(' ');

test('the order of lists and documents is the published one', () => {
  expect(known(scopes.all)).toBe(published);
});

test('a permission prompt names what can do most harm first', () => {
  expect(known(scopes.gravest)).toBe(
    'admin command input pointer files services containers screen clipboard processes power control chat media notify read',
  );
});

test('clients of a broker never administer, and never see the screen or the clipboard', () => {
  expect(known(scopes.all.filter((scope) => !scopes.mqtt.includes(scope)))).toBe('screen clipboard admin');
});

test('agents get nothing by default that turns the machine off, runs programs, types or reads files', () => {
  expect(known(scopes.agents)).toBe('read media notify chat control');
});

test('every list follows from the declaration of a scope', () => {
  const chat: ScopeDeclaration = { description: 'talk', label: 'talk', after: 'read', gravity: 99, mqtt: false };
  const { all, gravest, mqtt, agents, isScope, of } = createScopes([{ chat }]);
  expect(all.join(' ')).toBe('read chat control command admin');
  expect(gravest.join(' ')).toBe('admin chat command control read');
  expect(mqtt).not.toContain('chat');
  expect(agents).not.toContain('chat');
  expect([isScope('chat'), isScope('screen'), isScope('toString')]).toEqual([true, false, false]);
  expect(of('chat')).toBe(chat);
});

test('two features cannot declare the same scope', () => {
  const chat: ScopeDeclaration = { description: 'talk', label: 'talk', gravity: 1 };
  expect(() => createScopes([{ chat }, { chat }])).toThrow('chat is declared twice');
});
