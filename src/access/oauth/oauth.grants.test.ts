import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { challenge, codeOf, here, oauthMachine, origin, verifier } from '../../../test/harness/oauth.ts';
import { scopes } from '../../features/index.ts';
import { budgets } from '../limits/budgets.ts';
import { createOauthClients } from './clients.ts';
import { accessMs, createOauthGrants, grantMs } from './oauth-grants.ts';

const withCode = async () => {
  const parts = oauthMachine();
  const { id } = parts.register();
  const { location } = await parts.agreed(parts.queryOf(id));
  return { ...parts, id, code: location.searchParams.get('code') };
};

describe('a code', () => {
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

  test('and its refresh token are valid while others of the address are refused', async () => {
    const { id, code, redeem, refresh } = await withCode();
    for (let count = 0; count <= budgets.unauthenticated.oauth.requests.burst; count++)
      codeOf(() => redeem(id, 'wrong'));
    expect(codeOf(() => redeem(id, 'wrong'))).toBe('rate_limited');
    const { refresh: secret } = redeem(id, code);
    expect(refresh(id, secret).access).not.toBe('');
  });
});

describe('a grant', () => {
  const granted = async () => {
    const parts = await withCode();
    return { ...parts, first: parts.redeem(parts.id, parts.code) };
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

  test('is refreshed a limited number of times, and stays valid above that', async () => {
    const { id, first, refresh, tokens, writes, clock } = await granted();
    let last = first;
    for (let count = 0; count < budgets.caller.refreshes.burst; count++) last = refresh(id, last.refresh);
    const before = writes();
    expect(codeOf(() => refresh(id, last.refresh))).toBe('rate_limited');
    expect([writes(), tokens.find(last.access)?.id]).toEqual([before, first.id]);
    clock.advance(1000 / budgets.caller.refreshes.perSecond);
    expect(refresh(id, last.refresh).id).toBe(first.id);
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
    const parts = oauthMachine();
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

  test('keeps its grant when the first token is replaced, and still has to send its secret', async () => {
    const { token, code, secret, id, oauth, tokens } = registered();
    const [grant, late] = [token({ code: await code(), client_secret: secret }), await code()];
    tokens.rotate('main');
    const refresh = (more: object) => token({ grant_type: 'refresh_token', refresh_token: grant.refresh, ...more });
    for (const more of [{}, { client_secret: 'wrong' }]) {
      expect(codeOf(() => refresh(more))).toBe('invalid_grant');
      oauth.revoke(new URLSearchParams({ client_id: id, token: grant.access, ...more }), here);
    }
    expect(tokens.find(refresh({ client_secret: secret }).access)?.name).toBe('home-assistant');
    expect(codeOf(() => token({ code: late }))).toBe('invalid_grant');
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

test('secrets of no grant take no lock of the file', () => {
  const change = () => {
    throw new Error('the file was locked');
  };
  const grants = createOauthGrants({ list: () => [], hasGrant: () => false, change }, fakeClock());
  expect(grants.refresh('family.refresh', 'client')).toBeNull();
  expect(grants.revoke('family.refresh', 'client')).toBe(false);
});
