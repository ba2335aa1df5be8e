import { expect, test } from 'bun:test';
import { connectionFrom, pairingMachine } from '../../../../test/harness/pairing.ts';
import { createOauth } from '../../../access/oauth/oauth.ts';
import { scopes } from '../../../features/index.ts';
import { toHttpRequest } from '../../http/request.ts';
import { createOauthHandlers } from './oauth.handlers.ts';

const origin = 'http://127.0.0.1:9170';

function served() {
  const parts = pairingMachine();
  const log = { info: (_line: string) => {}, warn: (_line: string) => {} };
  const oauth = createOauth({ ...parts, scopes, log });
  const peer = { end: () => ({ address: '127.0.0.1', port: 5 }), isOurUser: async () => true, isEncrypted: false };
  const handlers = createOauthHandlers(async () => oauth);
  const get = async (name: 'page' | 'server', search = '') => {
    const raw = new Request(`${origin}/${search}`, { headers: { host: '127.0.0.1:9170' } });
    return await handlers[name]({
      ...toHttpRequest(raw, peer),
      connection: connectionFrom('127.0.0.1', true) as never,
    });
  };
  return { ...parts, oauth, get };
}

test('a client that registered itself gets no redirect before the user agreed, whatever it asks for', async () => {
  const { oauth, get } = served();
  const evil = 'https://evil.example/';
  const { id } = oauth.register({ client_name: 'x', redirect_uris: [evil] }, '192.0.2.1');
  const response = await get('page', `?client_id=${id}&redirect_uri=${encodeURIComponent(evil)}&response_type=token`);
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  expect(await response.text()).toContain('response_type must be code');
});

test('the metadata and the page say that pairing is switched off', async () => {
  const { settings, get } = served();
  const open = await (await get('server')).json();
  expect([open.registration_endpoint, open.response_types_supported]).toEqual([`${origin}/oauth/register`, ['code']]);
  settings.pairing.enabled = false;
  const closed = await (await get('server')).json();
  expect(closed).toMatchObject({ response_types_supported: [], grant_types_supported: ['refresh_token'] });
  expect(closed.registration_endpoint).toBeUndefined();
  const page = await get('page');
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('pairing.enabled')]);
});
