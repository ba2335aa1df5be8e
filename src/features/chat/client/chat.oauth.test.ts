import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { createOAuth, OAuthRefusal } from './chat.oauth.ts';

const credentials = { clientId: '1', clientSecret: 'secret' };

function endpoint(status: number, text: string, url = 'https://example.test/token') {
  const sent: { url: string; form: Record<string, string> }[] = [];
  const oauth = createOAuth(
    async (to, form) => {
      sent.push({ url: to, form });
      return { status, text };
    },
    fakeClock(1_000_000_000_000),
    () => url,
  );
  return { oauth, sent };
}

test('a code is exchanged for tokens with their expiry', async () => {
  const { oauth, sent } = endpoint(200, '{"access_token":"a","refresh_token":"r","expires_in":604800}');
  expect(await oauth.exchange(credentials, 'the-code')).toEqual({
    access_token: 'a',
    refresh_token: 'r',
    expires_at: 1_000_604_800,
  });
  expect(sent[0]?.form).toEqual({
    client_id: '1',
    client_secret: 'secret',
    grant_type: 'authorization_code',
    code: 'the-code',
    redirect_uri: 'http://localhost',
  });
});

test('a refreshed token keeps its refresh token if the response has none', async () => {
  const { oauth, sent } = endpoint(200, '{"access_token":"b"}');
  expect(await oauth.refresh(credentials, 'old')).toMatchObject({ access_token: 'b', refresh_token: 'old' });
  expect(sent[0]?.form).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'old' });
});

test.each([
  [400, '{"error":"invalid_grant"}', true],
  [401, '', true],
  [500, 'down', false],
  [200, 'no json', false],
  [200, '{}', false],
  [307, '', false],
])('a response %p %p is not a token, and a refusal only with a 4xx status', async (status, text, isRefusal) => {
  const { oauth } = endpoint(status, text);
  const problem = await oauth.exchange(credentials, 'c').catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Error);
  expect(problem instanceof OAuthRefusal).toBe(isRefusal);
  expect(String(problem)).not.toContain('secret');
});

test.each(['https://other.test/x', 'http://127.0.0.1:9/x', 'http://localhost:9/x', 'http://[::1]:9/x'])(
  'the secret is sent to %p',
  async (url) => {
    const { oauth, sent } = endpoint(200, '{"access_token":"a"}', url);
    await oauth.exchange(credentials, 'c');
    expect(sent[0]?.url).toBe(url);
  },
);

test.each(['http://other.test/x', 'http://127.0.0.1.other.test/', 'ftp://127.0.0.1/', 'nonsense'])(
  'the secret is not sent to %p',
  async (url) => {
    const { oauth, sent } = endpoint(200, '{"access_token":"a"}', url);
    await expect(oauth.exchange(credentials, 'c')).rejects.toThrow('correct chat.oauthUrl');
    expect(sent).toEqual([]);
  },
);
