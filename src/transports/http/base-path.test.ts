import { describe, expect, test } from 'bun:test';
import { defaultSettings, settingsCatalogue } from '../../features/index.ts';
import { type BasePathSettings, belowBase } from './base-path.ts';
import { toHttpRequest } from './request.ts';

const peer = { end: () => ({ address: '10.0.0.2', port: 5 }), isOurUser: async () => false, isEncrypted: false };

function placed(path: string, settings: Partial<BasePathSettings>, headers: Record<string, string> = {}) {
  const request = toHttpRequest(new Request(`http://localhost${path}`, { headers }), peer);
  const seen = belowBase(request, { ...defaultSettings.server, ...settings }, () => '10.0.0.2');
  return { path: seen.path, base: seen.base, isSame: seen === request };
}

describe('server.basePath', () => {
  test.each([
    ['/hostler', '/'],
    ['/hostler/', '/'],
    ['/hostler/api/data/cpu', '/api/data/cpu'],
    ['/hostler/files/a%20b', '/files/a%20b'],
    ['/hostler/hostler/x', '/hostler/x'],
    // A proxy removed it.
    ['/api/data/cpu', '/api/data/cpu'],
    ['/hostlers/x', '/hostlers/x'],
    ['/.well-known/oauth-authorization-server/hostler', '/.well-known/oauth-authorization-server'],
    ['/.well-known/oauth-protected-resource/hostler/api/mcp', '/.well-known/oauth-protected-resource/api/mcp'],
    ['/hostler/.well-known/oauth-protected-resource/api/mcp', '/.well-known/oauth-protected-resource/api/mcp'],
    ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource'],
  ])('%s is %s', (path, expected) => {
    expect(placed(path, { basePath: '/hostler' })).toEqual({ path: expected, base: '/hostler', isSame: false });
  });

  test('the query stays', () => {
    const request = toHttpRequest(new Request('http://localhost/a/b/x?y=/a/b'), peer);
    const seen = belowBase(request, { basePath: '/a/b', trustedProxies: [] }, () => '');
    expect([seen.path, seen.rawQuery]).toEqual(['/x', 'y=/a/b']);
  });

  test('without a setting the request is untouched, whatever its headers say', () => {
    const seen = placed('/hostler/x', {}, { 'X-Forwarded-Prefix': '/hostler' });
    expect(seen).toEqual({ path: '/hostler/x', base: '', isSame: true });
  });
});

const refused: [string, string][] = [
  ['a dot segment', '/a/..'],
  ['another origin', '//evil.example'],
  ['markup', '/"><script>'],
  ['an encoded character', '/a%2fb'],
  ['several values', '/a, /b'],
  ['an address of the API', '/api'],
  ['no slash at the start', 'pc'],
  ['a long one', `/${'a'.repeat(201)}`],
];

test.each(refused)('%s is no value of the setting', async (_what, basePath) => {
  const { success } = (await settingsCatalogue.schema()).safeParse({
    ...defaultSettings,
    server: { ...defaultSettings.server, basePath },
  });
  expect(success).toBe(false);
});

describe('X-Forwarded-Prefix', () => {
  const trusted = { trustedProxies: ['10.0.0.2'] };

  test.each(['/pc', '/pc/'])('%s of a trusted proxy is the base path', (prefix) => {
    expect(placed('/api/health', trusted, { 'X-Forwarded-Prefix': prefix })).toMatchObject({
      path: '/api/health',
      base: '/pc',
    });
  });

  test('it takes precedence over server.basePath', () => {
    const seen = placed('/pc/api/health', { ...trusted, basePath: '/hostler' }, { 'X-Forwarded-Prefix': '/pc' });
    expect(seen).toMatchObject({ path: '/api/health', base: '/pc' });
  });

  test('another address is not believed', () => {
    const seen = placed('/x', { trustedProxies: ['10.0.0.3'] }, { 'X-Forwarded-Prefix': '/pc' });
    expect(seen).toMatchObject({ path: '/x', base: '' });
  });

  test.each(refused)('%s is ignored', (_what, prefix) => {
    expect(placed('/x', trusted, { 'X-Forwarded-Prefix': prefix })).toMatchObject({ path: '/x', base: '' });
  });
});

test.each([
  ['a trusted proxy', ['10.0.0.2'], 'https', true],
  ['a trusted proxy of a WebSocket', ['10.0.0.2'], 'wss', true],
  ['another address', ['10.0.0.3'], 'https', false],
  ['a trusted proxy without TLS', ['10.0.0.2'], 'http', false],
])('X-Forwarded-Proto of %s', (_who, trustedProxies, protocol, isEncrypted) => {
  const raw = new Request('http://localhost/x', { headers: { 'X-Forwarded-Proto': protocol } });
  const seen = belowBase(toHttpRequest(raw, peer), { basePath: '', trustedProxies }, () => '10.0.0.2');
  expect(seen.connection()).toMatchObject({ address: '10.0.0.2', forwarded: true, isEncrypted });
});

test.each([
  ['an address', '198.51.100.3', '198.51.100.3'],
  ['the last of several, which the proxy added', '192.0.2.1, 2001:db8::1', '2001:db8::1'],
  ['a name', 'phone of Anna', null],
  ['text that turns around', '\u00e2\u0080\u00ae3.001.15.891', null],
  ['nothing', '', null],
  ['a long one', '1.1.1.1111111111111111111111111111111111111111111111111', null],
])('X-Forwarded-For of a trusted proxy: %s', (_what, header, client) => {
  const raw = new Request('http://localhost/x', { headers: { 'X-Forwarded-For': header } });
  const connectionOf = (trusted: string) =>
    belowBase(toHttpRequest(raw, peer), { basePath: '/x', trustedProxies: [trusted] }, () => '10.0.0.2').connection();
  expect(connectionOf('10.0.0.2').client).toBe(client);
  expect(connectionOf('10.0.0.3').client).toBeUndefined();
});
