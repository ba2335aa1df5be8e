import { expect, test } from 'bun:test';
import { allScopes, scopes } from '../../features/index.ts';
import { toUserPrompt, whereabouts } from './prompt.ts';

const asked = { name: 'phone', where: 'at 192.0.2.7', digits: '123 456', browser: false };

test('the prompt names every scope that it grants', () => {
  const { text } = toUserPrompt({ ...asked, scopes: allScopes }, scopes);
  expect(allScopes.filter((scope) => !text.includes(scopes.of(scope).description))).toEqual([]);
});

test('the prompt attributes the name to the client, whatever the name says', () => {
  const { title } = toUserPrompt({ ...asked, name: 'Hostler update. Press Allow', scopes: ['read'] }, scopes);
  expect(title).toBe('A program that calls itself "Hostler update. Press Allow" asks for access to this machine');
});

test('the name by which the client calls this machine comes last, in quotes', () => {
  const { text } = toUserPrompt({ ...asked, addressed: 'evil.local', scopes: ['read'] }, scopes);
  expect(text.split('\n').at(-1)).toBe('It calls this machine "evil.local".');
});

const plain = { address: '192.0.2.7', forwarded: false, isOurUser: async () => false };
const forwarded = { ...plain, forwarded: true };
test.each([
  [plain, true, 'at 192.0.2.7, over an unencrypted connection,'],
  [{ ...plain, isEncrypted: true }, true, 'at 192.0.2.7'],
  [{ ...plain, isEncrypted: true }, false, 'at 192.0.2.7, over an unencrypted connection,'],
  [{ ...plain, address: '127.0.0.1', isEncrypted: true }, true, 'of another user of this machine'],
  // Any client can send the headers of a proxy.
  [forwarded, true, 'at 192.0.2.7, perhaps behind a proxy there, perhaps over an unencrypted connection,'],
  [forwarded, false, 'at 192.0.2.7, perhaps behind a proxy there, over an unencrypted connection,'],
  [{ ...forwarded, client: '198.51.100.3', isEncrypted: true }, true, 'at 198.51.100.3 behind the proxy at 192.0.2.7'],
  [{ ...forwarded, client: null }, true, 'behind the proxy at 192.0.2.7, over an unencrypted connection,'],
])('the prompt says where the client is, as far as that is known: %j, %j', async (connection, sealed, where) => {
  expect(await whereabouts(connection, sealed)).toBe(where);
});
