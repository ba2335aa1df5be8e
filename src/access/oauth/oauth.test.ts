import { describe, expect, test } from 'bun:test';
import { connectionFrom, pairingMachine } from '../../../test/harness/pairing.ts';
import { scopes } from '../../features/index.ts';
import { sha256 } from '../../lib/digest.ts';
import { budgets } from '../limits/budgets.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { createOauthClients, maxRedirects } from './clients.ts';
import { createOauth } from './oauth.ts';
import { accessMs, grantMs } from './oauth-grants.ts';

const origin = 'http://127.0.0.1:9170';
const callback = 'http://127.0.0.1:1234/callback';
const verifier = 'v'.repeat(43);
const challenge = sha256(verifier).toString('base64url');
const claim = 'C'.repeat(43);
const here = '127.0.0.1';

function machine() {
  const parts = pairingMachine();
  let writes = 0;
  const change: Tokens['change'] = (edit) => {
    writes++;
    return parts.tokens.change(edit);
  };
  const log = {
    info: (line: string) => void parts.lines.push(line),
    warn: (line: string) => void parts.lines.push(line),
  };
  const oauth = createOauth({ ...parts, tokens: { ...parts.tokens, change }, scopes, log });
  const register = (metadata: object = {}, address = here) =>
    oauth.register({ client_name: 'Claude Code (local)', redirect_uris: [callback], ...metadata }, address);
  const queryOf = (id: string, more: Record<string, string> = {}) =>
    new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a&b',
      ...more,
    });
  /** The address with the code, after the user agreed. */
  const agreed = async (query: URLSearchParams, decision: 'allowed' | 'less' | 'denied' = 'allowed') => {
    const asked = await oauth.ask(oauth.check(query, origin), connectionFrom(here, true)(), claim);
    parts.prompts.at(-1)?.answer(decision);
    await Bun.sleep(0);
    return { asked, location: new URL((await oauth.answer(asked.id, claim)) ?? 'none:') };
  };
  const redeem = (id: string, code: string | null, more: Record<string, string> = {}) =>
    oauth.token(
      new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: id,
        code: code ?? '',
        redirect_uri: callback,
        code_verifier: verifier,
        ...more,
      }),
      here,
      origin,
    );
  const refresh = (id: string, secret: string) =>
    oauth.token(
      new URLSearchParams({ grant_type: 'refresh_token', client_id: id, refresh_token: secret }),
      here,
      origin,
    );
  return { ...parts, oauth, register, queryOf, agreed, redeem, refresh, writes: () => writes };
}

const codeOf = (call: () => unknown): string | null => {
  try {
    call();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('registration', () => {
  test('gives an id that holds the registration, under a name that a token can have', () => {
    const { register, oauth, queryOf } = machine();
    const { id, client } = register();
    expect(client).toEqual({ name: 'Claude Code local', redirects: [callback], hasSecret: false });
    expect(oauth.check(queryOf(id), origin)).toMatchObject({ client, redirectUri: callback, state: 'a&b' });
    for (const [given, name] of [
      ['main', 'agent'],
      [undefined, 'agent'],
      ['\u202eevil <b>', 'evil b'],
      ['x'.repeat(300), 'x'.repeat(40)],
    ] as const)
      expect(machine().register({ client_name: given }).client.name).toBe(name);
  });

  test.each([
    ['http of another machine', ['http://192.168.1.2/']],
    ['another scheme', ['cursor://callback']],
    ['script', ['javascript:alert(1)']],
    ['a fragment', [`${callback}#x`]],
    ['a user name', ['https://a@b.example/']],
    ['a backslash', ['https:\\\\b.example/']],
    ['a host that fills the prompt', [`https://accounts.example.${'a.'.repeat(50)}evil.example/`]],
    ['none', []],
    ['no list', 'https://b.example/'],
    ['too many', Array.from({ length: maxRedirects + 1 }, () => callback)],
    ['one that is too long', [`https://b.example/${'x'.repeat(1100)}`]],
  ])('refuses %s as address', (_what, redirect_uris) => {
    expect(codeOf(() => machine().register({ redirect_uris }))).toBe('invalid_redirect_uri');
  });

  test('programs of the same name have ids and grants of their own', async () => {
    const { register, queryOf, agreed, redeem, tokens } = machine();
    const ids = [register().id, register().id];
    const grants = [];
    for (const id of ids) grants.push(redeem(id, (await agreed(queryOf(id))).location.searchParams.get('code')));
    expect(ids[0]).not.toBe(ids[1]);
    expect(grants.map(({ access }) => tokens.find(access)?.name)).toEqual(['Claude Code local', 'Claude Code local 2']);
  });

  test('is limited for each address', () => {
    const { register, clock } = machine();
    for (let count = 0; count < budgets.unauthenticated.oauth.registrations.burst; count++) register();
    expect(codeOf(() => register())).toBe('rate_limited');
    expect(codeOf(() => register({}, '192.0.2.1'))).toBeNull();
    clock.advance(20_000);
    expect(codeOf(() => register())).toBeNull();
  });
});

describe('a request for authorisation', () => {
  test('matches registered addresses exactly, except for the port of a loopback address', () => {
    const { register, oauth, queryOf } = machine();
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
    const { register, oauth, queryOf } = machine();
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
    const { register, oauth, queryOf } = machine();
    const { id } = register();
    expect(codeOf(() => oauth.check(queryOf(id, more), origin))).toBe(code);
  });

  test('never asks for admin; without scopes it asks for those of agents', () => {
    const { register, oauth, queryOf } = machine();
    const { id } = register();
    expect(oauth.check(queryOf(id), origin).scopes).toEqual([...scopes.agents]);
    expect(oauth.check(queryOf(id, { scope: 'read admin power' }), origin).scopes).toEqual(['read', 'power']);
  });

  test('repeats no parameter', () => {
    const { register, oauth, queryOf } = machine();
    const query = queryOf(register().id);
    query.append('redirect_uri', 'https://evil.example/');
    expect(codeOf(() => oauth.check(query, origin))).toBe('invalid_request');
  });
});

describe('the prompt', () => {
  test('shows who asks, where the access goes and the digits of the page, and counts on the machine only', async () => {
    const { register, queryOf, agreed, prompts } = machine();
    const { asked } = await agreed(queryOf(register().id, { scope: 'read' }));
    expect(prompts).toMatchObject([
      {
        title: 'An agent that calls itself "Claude Code local" asks for access to this machine',
        text: [
          `Code: ${asked.digits}. Allow only if the device you are using shows the same code.`,
          'The access goes to 127.0.0.1:1234, at the request of a browser on this machine.',
          'It wants to: read modules, their state and metrics, and listen to them.',
        ].join('\n'),
        onMachine: true,
      },
    ]);
  });

  test('grants nothing to a page with another claim, nor by the routes of pairing', async () => {
    const { register, oauth, queryOf, prompts, pairing, tokens } = machine();
    const request = oauth.check(queryOf(register().id), origin);
    const { id } = await oauth.ask(request, connectionFrom(here, true)(), claim);
    prompts[0]?.answer('allowed');
    await Bun.sleep(0);
    await expect(oauth.answer(id, 'D'.repeat(43))).rejects.toMatchObject({ code: 'not_found' });
    await expect(pairing.fetch(id, claim)).rejects.toMatchObject({ code: 'not_found' });
    expect(tokens.list()).toHaveLength(1);
  });

  test('that is denied is an answer with the state of the client', async () => {
    const { register, queryOf, agreed } = machine();
    const { location } = await agreed(queryOf(register().id), 'denied');
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'Access was denied',
      state: 'a&b',
      iss: origin,
    });
  });
});

test('with pairing switched off nothing registers or asks, also not a page that is open; grants are refreshed', async () => {
  const { register, oauth, queryOf, agreed, redeem, refresh, settings, prompts } = machine();
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

describe('a code', () => {
  const withCode = async () => {
    const parts = machine();
    const { id } = parts.register();
    const { location } = await parts.agreed(parts.queryOf(id));
    return { ...parts, id, code: location.searchParams.get('code') };
  };

  test('becomes a token for agents', async () => {
    const { id, code, redeem, tokens } = await withCode();
    const { access, expiresIn } = redeem(id, code, { resource: `${origin}/api/mcp` });
    expect([expiresIn, tokens.find(access)]).toMatchObject([
      3600,
      { kind: 'oauth', name: 'Claude Code local', scopes: [...scopes.agents] },
    ]);
  });

  test.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another address', { redirect_uri: 'http://127.0.0.1:9/callback' }],
    ['another client', { client_id: 'other' }],
  ])('is spent with %s, without a token', async (_what, more) => {
    const { id, code, redeem, tokens } = await withCode();
    expect(codeOf(() => redeem(id, code, more))).toBe('invalid_grant');
    expect(codeOf(() => redeem(id, code))).toBe('invalid_grant');
    expect(tokens.list()).toHaveLength(1);
  });

  test('that comes twice ends the grant', async () => {
    const { id, code, redeem, tokens, lines } = await withCode();
    const { access } = redeem(id, code);
    expect(codeOf(() => redeem(id, code))).toBe('invalid_grant');
    expect(tokens.find(access)).toBeNull();
    expect(lines.at(-1)).toContain('came twice');
  });

  test('expires after a minute', async () => {
    const { id, code, redeem, clock } = await withCode();
    clock.advance(budgets.unauthenticated.oauth.codeMs);
    expect(codeOf(() => redeem(id, code))).toBe('invalid_grant');
  });

  test('for another resource is refused, and wrong ones change no file', async () => {
    const { id, code, redeem, writes } = await withCode();
    expect(codeOf(() => redeem(id, code, { resource: 'https://other.example/' }))).toBe('invalid_target');
    const before = writes();
    expect(codeOf(() => redeem(id, 'wrong'))).toBe('invalid_grant');
    expect(writes()).toBe(before);
    for (let count = 0; count < budgets.unauthenticated.oauth.requests.burst; count++)
      codeOf(() => redeem(id, 'wrong'));
    expect(codeOf(() => redeem(id, 'wrong'))).toBe('rate_limited');
  });
});

describe('a grant', () => {
  const granted = async () => {
    const parts = machine();
    const { id } = parts.register();
    const { location } = await parts.agreed(parts.queryOf(id));
    return { ...parts, id, first: parts.redeem(id, location.searchParams.get('code')) };
  };

  test('has an access token of an hour, which its refresh token replaces', async () => {
    const { id, first, refresh, tokens, clock } = await granted();
    clock.set(clock.now() + accessMs);
    clock.advance(100);
    expect([tokens.find(first.access), tokens.hasExpired(first.access)]).toEqual([null, true]);
    const second = refresh(id, first.refresh);
    expect(tokens.find(second.access)?.id).toBe(first.id);
    // What is open with it stays open meanwhile.
    expect(tokens.granted(first.id)).not.toBeNull();
  });

  test('ends with a refresh token that was used before, and by no other', async () => {
    const { id, first, refresh, tokens } = await granted();
    const second = refresh(id, first.refresh);
    expect(codeOf(() => refresh(id, 'x'.repeat(87)))).toBe('invalid_grant');
    expect(codeOf(() => refresh('other', second.refresh))).toBe('invalid_grant');
    expect(tokens.find(second.access)).not.toBeNull();
    expect(codeOf(() => refresh(id, first.refresh))).toBe('invalid_grant');
    expect(tokens.find(second.access)).toBeNull();
    expect(codeOf(() => refresh(id, second.refresh))).toBe('invalid_grant');
  });

  test('ends when it is not refreshed for a month', async () => {
    const { id, first, refresh, tokens, clock } = await granted();
    clock.set(clock.now() + grantMs);
    clock.advance(100);
    expect([tokens.granted(first.id), tokens.list().map(({ name }) => name)]).toEqual([null, ['main']]);
    expect(codeOf(() => refresh(id, first.refresh))).toBe('invalid_grant');
  });

  test('is revoked with either of its secrets, by its client only', async () => {
    for (const name of ['access', 'refresh'] as const) {
      const { id, first, oauth, tokens } = await granted();
      const revoke = (client_id: string) => oauth.revoke(new URLSearchParams({ token: first[name], client_id }), here);
      revoke('other');
      expect(tokens.find(first.access)).not.toBeNull();
      revoke(id);
      expect(tokens.find(first.access)).toBeNull();
    }
  });

  test('replaces the earlier one of the same client, and cannot be renewed by hand', async () => {
    const { id, first, queryOf, agreed, redeem, tokens } = await granted();
    const { location } = await agreed(queryOf(id), 'less');
    const second = redeem(id, location.searchParams.get('code'));
    expect([tokens.find(first.access), second.scopes]).toEqual([null, ['read']]);
    expect(tokens.list().map(({ name }) => name)).toEqual(['main', 'Claude Code local']);
    expect(() => tokens.rotate('Claude Code local')).toThrow('revoke it instead');
  });
});

describe('a client that the owner registered', () => {
  const returns = 'http://homeassistant.local:8123/auth/external/callback';
  const registered = () => {
    const parts = machine();
    const clients = createOauthClients(parts.tokens);
    const { id, secret } = clients.registerWithSecret('home-assistant', returns);
    const query = new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri: returns, state: 's' });
    const form = { grant_type: 'authorization_code', client_id: id, redirect_uri: returns };
    const token = (more: Record<string, string>) =>
      parts.oauth.token(new URLSearchParams({ ...form, ...more }), here, origin);
    const code = async () => (await parts.agreed(query)).location.searchParams.get('code') ?? '';
    return { ...parts, clients, id, secret, query, token, code };
  };

  test('gets a grant with its secret and without PKCE, and refreshes and revokes it', async () => {
    const { token, code, secret, id, oauth, tokens } = registered();
    const grant = token({ code: await code(), client_secret: secret });
    const next = token({ grant_type: 'refresh_token', refresh_token: grant.refresh, client_secret: secret });
    expect(next.name).toBe('home-assistant');
    const revoke = (more: object) =>
      oauth.revoke(new URLSearchParams({ client_id: id, token: next.access, ...more }), here);
    expect(codeOf(() => revoke({}))).toBe('invalid_client');
    revoke({ client_secret: secret });
    expect(tokens.list().filter(({ kind }) => kind === 'oauth')).toEqual([]);
  });

  test('gets nothing without its secret, or with that of another client', async () => {
    const { token, code, secret, clients } = registered();
    const other = clients.registerWithSecret('other', returns).secret;
    const once = await code();
    for (const client_secret of ['', other, `${secret}x`])
      expect(codeOf(() => token({ code: once, client_secret }))).toBe('invalid_client');
    const grant = token({ code: once, client_secret: secret });
    expect(codeOf(() => token({ grant_type: 'refresh_token', refresh_token: grant.refresh }))).toBe('invalid_client');
  });

  test('that began with PKCE has to prove it, and one that did not cannot', async () => {
    const { token, code, secret, query } = registered();
    const client_secret = secret;
    expect(codeOf(() => token({ code: 'x', client_secret }))).toBe('invalid_grant');
    const plain = await code();
    expect(codeOf(() => token({ code: plain, client_secret, code_verifier: verifier }))).toBe('invalid_grant');
    query.set('code_challenge', challenge);
    query.set('code_challenge_method', 'S256');
    const proven = await code();
    expect(codeOf(() => token({ code: proven, client_secret }))).toBe('invalid_grant');
    const again = await code();
    expect(token({ code: again, client_secret, code_verifier: verifier }).name).toBe('home-assistant');
  });

  test('is not what another id is taken for', () => {
    const { oauth, id, query } = registered();
    for (const other of [`confidential ${id}`, `with a secret ${id}`, ` ${id}`, `${id}.`]) {
      query.set('client_id', other);
      expect(codeOf(() => oauth.check(query, origin))).toBe('invalid_client');
    }
  });

  test('is not what a program makes of itself, and its address is checked', () => {
    const { clients, register, oauth, queryOf } = registered();
    const { id } = register();
    const query = queryOf(id);
    query.delete('code_challenge');
    expect(codeOf(() => oauth.check(query, origin))).toBe('invalid_request');
    for (const redirect of ['ftp://x/', 'http://a@b/', 'https://x/#y', 'javascript:alert(1)'])
      expect(() => clients.registerWithSecret('x', redirect)).toThrow('http or https');
  });
});
