import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { chatFiles } from './chat.credentials.ts';

function filesWith(contents: Record<string, string>) {
  const storage = memoryStorage(contents);
  return { storage, files: chatFiles(fakeHost({ storage, paths: { config: '/c', state: '/s', runtime: null } })) };
}

const good = '{"clientId":"1","clientSecret":"s"}';

test.each([
  [{}, 'absent'],
  [{ '/s/chat.json': good }, 'ready'],
  [{ '/s/discord.json': good }, 'ready'],
  [{ '/s/chat.json': '{"clientId":"1"' }, 'broken'],
  [{ '/s/chat.json': '{"clientId":"1","clientSecret":""}' }, 'broken'],
  [{ '/s/chat.json': '[]' }, 'broken'],
  [{ '/s/chat.json': '' }, 'broken'],
])('%p is a set-up that is %p', (contents, kind) => {
  expect<string>(filesWith(contents).files.setUp().kind).toBe(kind);
});

test('our own file has priority over the one of the older name', () => {
  const { files } = filesWith({ '/s/chat.json': good, '/s/discord.json': '{"clientId":"2","clientSecret":"t"}' });
  expect(files.setUp()).toMatchObject({ credentials: { clientId: '1' } });
});

test('forgetting removes everything, and says whether there was anything', () => {
  const { files, storage } = filesWith({ '/s/discord.json': good, '/s/chat-token.json': '{}' });
  expect(files.forget()).toBe(true);
  expect([...storage.contents.keys()]).toEqual([]);
  expect(files.forget()).toBe(false);
});

test.each([
  ['{"access_token":"a","refresh_token":"r","expires_at":7}', { access_token: 'a', refresh_token: 'r', expires_at: 7 }],
  ['{"access_token":"a"}', { access_token: 'a', refresh_token: null, expires_at: 0 }],
  ['{"access_token":1}', null],
  ['nonsense', null],
])('tokens in a file that holds %p are %p', (text, tokens) => {
  expect(filesWith({ '/s/chat-token.json': text }).files.tokens()).toEqual(tokens);
});

test('a rewritten set-up counts as another one, also with equal contents', () => {
  const { files } = filesWith({});
  files.write({ clientId: '1', clientSecret: 's' });
  const before = files.signature();
  files.write({ clientId: '1', clientSecret: 's' });
  expect(files.signature()).not.toBe(before);
});
