import { expect, test } from 'bun:test';
import { defaultSettings } from '../../../features/index.ts';
import { challengeOf, refuseElsewhere, requestOrigin } from './oauth.address.ts';

const asked = (address: string, { isEncrypted = false, forwarded = false, headers = {}, base = '' } = {}) => ({
  base,
  headers: new Headers({ host: 'machine.lan:9170', ...headers }),
  connection: () => ({ address, port: 1, forwarded, isEncrypted, isOurUser: async () => true }),
});
const remote = { ...defaultSettings, mcp: { ...defaultSettings.mcp, allowRemote: true } };
/** Of a trusted proxy that names HTTPS; another one only adds the header. */
const behindProxy = { forwarded: true, isEncrypted: true };
const untrusted = { forwarded: true, headers: { 'x-forwarded-proto': 'https' } };

test('the origin is the one that the client uses, also behind a proxy with TLS', () => {
  expect(requestOrigin(asked('127.0.0.1'))).toBe('http://machine.lan:9170');
  expect(requestOrigin(asked('192.0.2.1', { isEncrypted: true }))).toBe('https://machine.lan:9170');
  expect(requestOrigin(asked('127.0.0.1', behindProxy))).toBe('https://machine.lan:9170');
  expect(requestOrigin(asked('192.0.2.1', untrusted))).toBe('http://machine.lan:9170');
  expect(challengeOf(asked('127.0.0.1'))).toBe(
    'Bearer realm="hostler", resource_metadata="http://machine.lan:9170/.well-known/oauth-protected-resource/api/mcp"',
  );
  expect(challengeOf(asked('127.0.0.1', { ...behindProxy, base: '/pc' }))).toBe(
    'Bearer realm="hostler", resource_metadata="https://machine.lan:9170/pc/.well-known/oauth-protected-resource/api/mcp"',
  );
});

test.each([
  ['this machine', asked('127.0.0.1'), defaultSettings, null],
  ['another machine', asked('192.0.2.1', { isEncrypted: true }), defaultSettings, 'mcp.allowRemote'],
  ['a proxy', asked('127.0.0.1', behindProxy), defaultSettings, 'mcp.allowRemote'],
  ['another machine that may, without TLS', asked('192.0.2.1'), remote, 'HTTPS only'],
  ['another machine that may, with TLS', asked('192.0.2.1', { isEncrypted: true }), remote, null],
  ['a proxy with TLS that may', asked('127.0.0.1', behindProxy), remote, null],
  ['a client that only claims a proxy with TLS', asked('192.0.2.1', untrusted), remote, 'server.trustedProxies'],
  ['a proxy without TLS that may', asked('127.0.0.1', { forwarded: true }), remote, 'HTTPS only'],
])('OAuth from %s', (_where, request, settings, refusal) => {
  const check = () => refuseElsewhere(request, settings);
  if (refusal === null) expect(check).not.toThrow();
  else expect(check).toThrow(refusal);
});
