import { describe, expect, test } from 'bun:test';
import { callback, claim, codeOf, here, oauthMachine, origin } from '../../../test/harness/oauth.ts';
import { connectionFrom } from '../../../test/harness/pairing.ts';
import { scopes } from '../../features/index.ts';
import { budgets } from '../limits/budgets.ts';
import { maxRedirects } from './clients.ts';

describe('registration', () => {
  test('gives an id that holds the registration, under a name that a token can have', () => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id, client } = register();
    expect(client).toEqual({ name: 'Claude Code local', redirects: [callback], hasSecret: false });
    expect(oauth.check(queryOf(id), origin)).toMatchObject({ client, redirectUri: callback, state: 'a&b' });
    for (const [given, name] of [
      ['main', 'agent'],
      [undefined, 'agent'],
      ['\u202eevil <b>', 'evil b'],
      ['x'.repeat(300), 'x'.repeat(40)],
    ] as const)
      expect(oauthMachine().register({ client_name: given }).client.name).toBe(name);
  });

  test.each([
    ['http of another machine', ['http://192.168.1.2/']],
    ['another scheme', ['cursor://callback']],
    ['script', ['javascript:alert(1)']],
    ['a fragment', [`${callback}#x`]],
    ['a user name', ['https://a@b.example/']],
    ['a backslash', ['https:\\\\b.example/']],
    ['a host that fills the prompt', [`https://accounts.example.${'a.'.repeat(50)}evil.example/`]],
    ['a host with signs of sentences', ['https://claude.ai,approved.by.you/cb']],
    ['a host with other signs', [`https://a'b"c;d(e)/`]],
    ['none', []],
    ['no list', 'https://b.example/'],
    ['too many', Array.from({ length: maxRedirects + 1 }, () => callback)],
    ['one that is too long', [`https://b.example/${'x'.repeat(1100)}`]],
  ])('refuses %s as address', (_what, redirect_uris) => {
    expect(codeOf(() => oauthMachine().register({ redirect_uris }))).toBe('invalid_redirect_uri');
  });

  test('programs of the same name have ids and grants of their own', async () => {
    const { register, queryOf, agreed, redeem, tokens } = oauthMachine();
    const ids = [register().id, register().id];
    const grants = [];
    for (const id of ids) grants.push(redeem(id, (await agreed(queryOf(id))).location.searchParams.get('code')));
    expect(ids[0]).not.toBe(ids[1]);
    expect(grants.map(({ access }) => tokens.find(access)?.name)).toEqual(['Claude Code local', 'Claude Code local 2']);
  });

  test('is limited for each address', () => {
    const { register, clock } = oauthMachine();
    for (let count = 0; count < budgets.unauthenticated.oauth.registrations.burst; count++) register();
    expect(codeOf(() => register())).toBe('rate_limited');
    expect(codeOf(() => register({}, '192.0.2.1'))).toBeNull();
    clock.advance(20_000);
    expect(codeOf(() => register())).toBeNull();
  });
});

describe('a request for authorisation', () => {
  test('matches registered addresses exactly, except for the port of a loopback address', () => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id } = register({ redirect_uris: [callback, 'https://b.example/cb'] });
    const check = (redirect_uri: string) => codeOf(() => oauth.check(queryOf(id, { redirect_uri }), origin));
    for (const good of [callback, 'http://127.0.0.1:9/callback', 'https://b.example/cb'])
      expect(check(good)).toBeNull();
    for (const bad of [
      'http://127.0.0.1:1234/callback/',
      'http://127.0.0.1:1234/callback?x',
      'http://localhost:1234/callback',
      'http://127.0.0.1:1@evil.example/callback',
      'https://b.example:444/cb',
      'https://b.example/cb/',
      'https://B.example/cb',
      'https://evil.example/cb',
    ])
      expect([bad, check(bad)]).toEqual([bad, 'invalid_request']);
  });

  test('sends no browser to an address that is not registered', () => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id } = register();
    const forged = `${Buffer.from(JSON.stringify(['x', 'https://evil.example/'])).toString('base64url')}.${id.split('.')[1]}`;
    for (const query of [
      queryOf(forged, { redirect_uri: 'https://evil.example/' }),
      queryOf(id, { redirect_uri: 'https://evil.example/' }),
    ])
      expect(codeOf(() => oauth.check(query, origin))).not.toBeNull();
  });

  test.each([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://other.example/api/mcp' }, 'invalid_target'],
    ['for another path', { resource: `${origin}/api/data` }, 'invalid_target'],
    ['for scopes that nothing grants', { scope: 'admin unknown' }, 'invalid_scope'],
  ])('is refused %s', (_what, more, code) => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id } = register();
    expect(codeOf(() => oauth.check(queryOf(id, more), origin))).toBe(code);
  });

  test.each([
    ['/api/mcp', null],
    ['/desk/api/mcp', null],
    ['/desk/', null],
    ['/other/api/mcp', 'invalid_target'],
  ])('names the resource below the path of a proxy: %s', (path, code) => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id } = register();
    const issuer = path === '/api/mcp' ? 'https://proxy.example' : 'https://proxy.example/desk';
    const query = queryOf(id, { resource: `https://proxy.example${path}` });
    expect(codeOf(() => oauth.check(query, issuer))).toBe(code);
  });

  test('never asks for admin; without scopes it asks for those of agents', () => {
    const { register, oauth, queryOf } = oauthMachine();
    const { id } = register();
    expect(oauth.check(queryOf(id), origin).scopes).toEqual([...scopes.agents]);
    expect(oauth.check(queryOf(id, { scope: 'read admin power' }), origin).scopes).toEqual(['read', 'power']);
  });

  test('repeats no parameter', () => {
    const { register, oauth, queryOf } = oauthMachine();
    const query = queryOf(register().id);
    query.append('redirect_uri', 'https://evil.example/');
    expect(codeOf(() => oauth.check(query, origin))).toBe('invalid_request');
  });
});

describe('the prompt', () => {
  test('shows who asks, where the access goes and the digits of the page, and counts on the machine only', async () => {
    const { register, queryOf, agreed, prompts } = oauthMachine();
    const { asked } = await agreed(queryOf(register().id, { scope: 'read' }));
    expect(prompts).toMatchObject([
      {
        title: 'An agent that calls itself "Claude Code local" asks for access to this machine',
        text: [
          `Code: ${asked.digits}. Allow only if the device you are using shows the same code.`,
          'Who asks on this machine gets the access, and says that it goes to 127.0.0.1:1234.',
          'It wants to: read modules, their state and metrics, and listen to them.',
        ].join('\n'),
        onMachine: true,
      },
    ]);
  });

  test('grants nothing to a page with another claim, nor by the routes of pairing', async () => {
    const { register, oauth, queryOf, prompts, pairing, tokens } = oauthMachine();
    const request = oauth.check(queryOf(register().id), origin);
    const { id } = await oauth.ask(request, connectionFrom(here, true)(), claim);
    prompts[0]?.answer('allowed');
    await Bun.sleep(0);
    await expect(oauth.answer(id, 'D'.repeat(43))).rejects.toMatchObject({ code: 'not_found' });
    await expect(pairing.fetch(id, claim)).rejects.toMatchObject({ code: 'not_found' });
    expect(tokens.list()).toHaveLength(1);
  });

  test('that is denied is an answer with the state of the client', async () => {
    const { register, queryOf, agreed } = oauthMachine();
    const { location, refused } = await agreed(queryOf(register().id), 'denied');
    expect(refused).toBeNull();
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'Access was denied',
      state: 'a&b',
      iss: origin,
    });
  });
});

test.each([
  ['denied', 'Access was denied'],
  ['allowed', null],
] as const)(
  'an address elsewhere that the client named itself gets the browser after consent only: %s',
  async (decision, refused) => {
    const { register, queryOf, agreed } = oauthMachine();
    const redirect_uri = 'https://evil.example/cb';
    const { id } = register({ redirect_uris: [redirect_uri] });
    expect((await agreed(queryOf(id, { redirect_uri }), decision)).refused).toBe(refused);
  },
);

test('with pairing switched off nothing registers or asks, also not a page that is open; grants are refreshed', async () => {
  const { register, oauth, queryOf, agreed, redeem, refresh, settings, prompts } = oauthMachine();
  const { id } = register();
  const { location } = await agreed(queryOf(id));
  const grant = redeem(id, location.searchParams.get('code'));
  const open = oauth.check(queryOf(id), origin);
  settings.pairing.enabled = false;
  expect([codeOf(() => register()), codeOf(() => oauth.check(queryOf(id), origin))]).toEqual([
    'access_denied',
    'access_denied',
  ]);
  await expect(oauth.ask(open, connectionFrom(here, true)(), claim)).rejects.toThrow('pairing.enabled');
  await expect(oauth.answer('any', claim)).rejects.toThrow('pairing.enabled');
  expect(prompts).toHaveLength(1);
  expect(refresh(id, grant.refresh).scopes).toEqual([...scopes.agents]);
});
