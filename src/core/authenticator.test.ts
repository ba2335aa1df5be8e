import { afterEach, expect, test } from 'bun:test';
import { callerWith, fakeAgents } from '../../test/harness/agents.ts';
import { defaultSettings } from '../features/index.ts';
import type { Settings } from '../settings/settings.schema.ts';
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
