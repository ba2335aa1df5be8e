import { expect, test } from 'bun:test';
import { openFernet } from './fernet.ts';

/** https://github.com/fernet/spec/blob/master/verify.json */
const key = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=';
const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';

test('the example of the specification is opened', async () => {
  expect(await openFernet(key, token)).toBe('hello');
});

test.each([
  [key.replace('c', 'd'), token],
  [key, token.replace('AECAw', 'AECAx')],
  [key, token.slice(0, 40)],
  [key, ''],
  ['', token],
  ['short', token],
])('with %s nothing comes out of %s', async (wrongKey, wrongToken) => {
  expect(await openFernet(wrongKey, wrongToken)).toBeNull();
});
