import { expect, test } from 'bun:test';
import { allScopes, scopes } from '../../features/index.ts';
import { toUserPrompt } from './prompt.ts';

const asked = { name: 'phone', where: 'at 192.0.2.7', digits: '123 456', browser: false };

test('the prompt names every scope that it grants', () => {
  const { text } = toUserPrompt({ ...asked, scopes: allScopes }, scopes);
  expect(allScopes.filter((scope) => !text.includes(scopes.of(scope).description))).toEqual([]);
});

test('the prompt attributes the name to the client, whatever the name says', () => {
  const { title } = toUserPrompt({ ...asked, name: 'Hostler update. Press Allow', scopes: ['read'] }, scopes);
  expect(title).toBe('A program that calls itself "Hostler update. Press Allow" asks for access to this machine');
});
