import { afterEach, expect, test } from 'bun:test';
import { fakeContext, noHistory } from '../../test/doubles/fake-host.ts';
import { callerWith, fakeAgents } from '../../test/harness/agents.ts';
import { connectionFrom, pairingMachine } from '../../test/harness/pairing.ts';
import { createLockout } from '../access/limits/lockout.ts';
import { accessMs, createOauthGrants } from '../access/oauth/oauth-grants.ts';
import { defaultSettings } from '../features/index.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { createAuthenticator } from './authenticator.ts';
import { brokerId, shareIdOf } from './caller.ts';

const opened: ReturnType<typeof fakeAgents>[] = [];

afterEach(async () => {
  for (const agents of opened.splice(0)) await agents.close();
});

function serviceWith(mqtt: Partial<Settings['mqtt']> = {}) {
  const agents = fakeAgents({ settings: { mqtt: { ...defaultSettings.mqtt, ...mqtt } } });
  opened.push(agents);
  return agents.service;
}

const url = 'mqtt://broker.test';

test.each<[what: string, mqtt: Partial<Settings['mqtt']>, admitted: boolean]>([
  ['with the scope', { url, scopes: ['read', 'power'] }, true],
  ['without the scope', { url, scopes: ['read'] }, false],
  ['without a broker', { url: '', scopes: ['read', 'power'] }, false],
])('clients of the broker are admitted as the settings say: %s', (_what, mqtt, admitted) => {
  const scopes = new Set(['power'] as const);
  expect(serviceWith(mqtt).admits({ tokenId: brokerId, scopes })).toBe(admitted);
});

test('wrong tokens are events in the history, with a few a minute at most', async () => {
  const events: string[] = [];
  const history = { ...noHistory, note: (kind: string, text: string) => void events.push(`${kind}: ${text}`) };
  const agents = fakeAgents({ history });
  const connection = () => ({ address: '192.0.2.7', forwarded: false, isOurUser: async () => true });
  for (let count = 0; count < 5; count++)
    expect(() => agents.service.authorize(['wrong'], connection)).toThrow('not valid');
  // A request without a token is no attempt.
  expect(() => agents.service.authorize([''], connection)).toThrow('needed');
  await agents.service.close();
  expect(events).toEqual([
    'sign_in: A wrong token or code was received from 192.0.2.7',
    'sign_in: A wrong token or code was received from 192.0.2.7',
    'sign_in: 3 more wrong tokens or codes were received within a minute',
  ]);
});

test('the address of an agent is known after its request was answered', async () => {
  const service = serviceWith();
  const { secret } = await service.tokens.create('agent', ['read'], callerWith());
  let address = '192.0.2.7';
  const connection = () => ({ address, forwarded: false, isOurUser: async () => true });
  const caller = service.authorize([secret], connection, 'agent');
  address = '';
  expect(caller.connection().address).toBe('192.0.2.7');
});

test('a browser session has the share of the token that it signed in with', async () => {
  const service = serviceWith();
  const connection = () => ({ address: '192.0.2.7', forwarded: false, isOurUser: async () => true });
  const { secret, token } = await service.tokens.create('tablet', ['read'], callerWith());
  const wanted = { name: 'Firefox', stay: false, key: null };
  const session = await service.browsers.signIn({ secrets: [secret] }, wanted, connection);
  expect(shareIdOf(service.authorize([secret], connection))).toBe(token.id);
  expect(shareIdOf(service.authorize([session.token], connection))).toBe(token.id);
  expect(service.identify([session.token])?.shareId).toBe(token.id);
});

test('an agent with OAuth is known until its access token expires', () => {
  const { tokens, browsers, clock } = pairingMachine();
  const none = { brokerScopes: () => null, noteSignIn() {}, used() {} };
  const { log } = fakeContext();
  const { authorize } = createAuthenticator({ tokens, browsers, clock, log, lockout: createLockout(clock), ...none });
  const { access } = createOauthGrants(tokens, clock).open({ name: 'agent', scopes: ['read'], identity: 'x' });
  expect(authorize([access], connectionFrom('127.0.0.1'), 'agent').expiresAt).toBe(clock.now() + accessMs);
  expect(authorize([tokens.first()], connectionFrom('127.0.0.1'), 'agent').expiresAt).toBeUndefined();
});
