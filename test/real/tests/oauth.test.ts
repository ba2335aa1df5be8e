import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type Mode, modes } from '../../harness/agents.ts';
import { consentTo } from '../harness/oauth-consent.ts';
import { postJson, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(60_000);

const callback = 'http://127.0.0.1:33418/callback';

/** The store of a program that uses the official client. `asked` receives the address that it opens in a browser. */
function provider(clientName: string) {
  const kept: Record<string, unknown> = {};
  const asked: URL[] = [];
  const take = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const oauth = {
    redirectUrl: callback,
    clientMetadata: { client_name: clientName, redirect_uris: [callback] },
    state: () => 'the state',
    clientInformation: () => kept.client,
    saveClientInformation: take('client'),
    tokens: () => kept.tokens,
    saveTokens: take('tokens'),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: take('verifier'),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: take('discovery'),
    redirectToAuthorization: (url: URL) => void asked.push(url),
  } as unknown as OAuthClientProvider;
  return { oauth, asked, kept: kept as { tokens: Record<'access_token' | 'refresh_token' | 'scope', string> } };
}

describe('OAuth for agents', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(async () => void (await hostler.stop()));

  const endpoint = () => new URL(`${hostler.base}/api/mcp`);
  const connect = async (oauth: OAuthClientProvider, mode: Mode = 'auto') => {
    const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(endpoint(), { authProvider: oauth });
    return { client, transport, connected: client.connect(transport) };
  };
  const tokens = async () =>
    JSON.parse((await runHostler(['token', 'list', '--json'], { directory: hostler.directory })).stdout) as Record<
      string,
      unknown
    >[];
  const form = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${hostler.base}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: response.status, ...(await response.json()) };
  };

  test.each(modes)(
    'the official client gets a token that the user agreed to, and uses it, in mode %j',
    async (mode) => {
      const name = `Claude (${typeof mode === 'string' ? mode : mode.pin})`;
      const { oauth, asked, kept } = provider(name);
      const first = await connect(oauth, mode);
      await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
      const [url] = asked;
      if (url === undefined) throw new Error('no page was opened');
      expect(url.searchParams.get('resource')).toBe(endpoint().href);
      const back = await consentTo(hostler, url, 'allow');
      expect([back.origin, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
        'http://127.0.0.1:33418',
        'the state',
        hostler.base,
      ]);
      await first.transport.finishAuth(back.searchParams);
      const { client, connected } = await connect(oauth, mode);
      await connected;
      const overview = await client.callTool({ name: 'get_overview' });
      expect(overview.isError).toBeUndefined();
      expect(
        (await tokens()).find(({ kind, name: of }) => kind === 'oauth' && String(of).startsWith('Claude')),
      ).toMatchObject({
        kind: 'oauth',
        expires: expect.stringMatching(/^\d{4}-/),
        last_address: '127.0.0.1',
      });
      // For agents only.
      const elsewhere = await hostler.get('/api/data/cpu', { Authorization: `Bearer ${kept.tokens.access_token}` });
      expect([elsewhere.status, await elsewhere.text()]).toEqual([403, expect.stringContaining('is for agents')]);
      await client.close();
    },
  );

  test('refreshes its token; a refresh token that was used before ends the grant', async () => {
    const { oauth, asked, kept } = provider('Refresher');
    const { transport, connected } = await connect(oauth);
    await expect(connected).rejects.toThrow();
    await transport.finishAuth((await consentTo(hostler, asked[0] as URL, 'less')).searchParams);
    expect(kept.tokens.scope).toBe('read');
    const before = kept.tokens;
    // The client refreshes.
    expect(await auth(oauth, { serverUrl: endpoint() })).toBe('AUTHORIZED');
    expect(kept.tokens.access_token).not.toBe(before.access_token);
    const { client, connected: again } = await connect(oauth);
    await again;
    expect((await client.callTool({ name: 'get_overview' })).isError).toBeUndefined();
    const information = (await oauth.clientInformation({ issuer: hostler.base })) as { client_id: string };
    const { client_id } = information;
    const refresh = { grant_type: 'refresh_token', client_id };
    expect(await form('/oauth/token', { ...refresh, refresh_token: before.refresh_token })).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
    expect(await form('/oauth/token', { ...refresh, refresh_token: kept.tokens.refresh_token })).toMatchObject({
      error: 'invalid_grant',
    });
    expect((await tokens()).some(({ name }) => name === 'Refresher')).toBe(false);
    await expect(client.callTool({ name: 'get_overview' })).rejects.toThrow();
    await client.close();
  });

  test('a revoked grant ends, by the command line and by the client', async () => {
    for (const way of ['command', 'client']) {
      const { oauth, asked, kept } = provider(`Revoked by ${way}`);
      const { transport, connected } = await connect(oauth);
      await expect(connected).rejects.toThrow();
      await transport.finishAuth((await consentTo(hostler, asked[0] as URL, 'allow')).searchParams);
      const call = () =>
        fetch(endpoint(), {
          method: 'POST',
          headers: { Authorization: `Bearer ${kept.tokens.access_token}`, 'Content-Type': 'application/json' },
          body: '{}',
        });
      expect((await call()).status).toBe(400);
      const { client_id } = (await oauth.clientInformation({ issuer: hostler.base })) as { client_id: string };
      if (way === 'client')
        expect(await form('/oauth/revoke', { client_id, token: kept.tokens.refresh_token })).toEqual({ status: 200 });
      else
        expect(
          (await runHostler(['token', 'revoke', `Revoked by ${way}`], { directory: hostler.directory })).code,
        ).toBe(0);
      await until(async () => ((await call()).status === 401 ? true : null));
      const answer = await call();
      expect(answer.headers.get('www-authenticate')).toContain(
        `resource_metadata="${hostler.base}/.well-known/oauth-protected-resource/api/mcp"`,
      );
    }
  });

  test.each(modes)(
    'the official client asks for the scope that a call lacks, and keeps the others, in mode %j',
    async (mode) => {
      const { oauth, asked, kept } = provider(`Wider ${JSON.stringify(mode)}`);
      const first = await connect(oauth, mode);
      await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
      await first.transport.finishAuth((await consentTo(hostler, asked[0] as URL, 'less')).searchParams);
      expect(kept.tokens.scope).toBe('read');
      const { client, transport, connected } = await connect(oauth, mode);
      await connected;
      const pause = () => client.callTool({ name: 'control_media', arguments: { action: 'pause' } });
      await expect(pause()).rejects.toBeInstanceOf(UnauthorizedError);
      expect(asked.at(-1)?.searchParams.get('scope')).toBe('read media');
      await transport.finishAuth((await consentTo(hostler, asked.at(-1) as URL, 'allow')).searchParams);
      expect(kept.tokens.scope.split(' ').toSorted()).toEqual(['media', 'read']);
      await client.close();
      const wider = await connect(oauth, mode);
      await wider.connected;
      expect(
        JSON.stringify(await wider.client.callTool({ name: 'control_media', arguments: { action: 'pause' } })),
      ).not.toContain('lacks the scope');
      await wider.client.close();
    },
  );

  test('a denial is an answer to the client, and the next prompt has to wait', async () => {
    const { oauth, asked } = provider('Denied');
    await expect((await connect(oauth)).connected).rejects.toThrow();
    const back = await consentTo(hostler, asked[0] as URL, 'deny');
    expect([back.searchParams.get('error'), back.searchParams.get('code')]).toEqual(['access_denied', null]);
    const claim = 'B'.repeat(43);
    const again = await postJson(hostler, '/oauth/authorize', { query: asked[0]?.search.slice(1), claim }, '');
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/\d/)]);
  });

  test('pages of other origins open no prompt, and pages are not framed', async () => {
    const foreign = await fetch(`${hostler.base}/oauth/authorize`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://evil.example' },
      body: '{}',
    });
    expect(foreign.status).toBe(403);
    const framed = await fetch(`${hostler.base}/oauth/authorize`, {
      headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
    });
    expect(framed.status).toBe(403);
    const unknown = await fetch(`${hostler.base}/oauth/authorize?client_id=x`);
    expect([unknown.status, unknown.headers.get('content-security-policy')]).toEqual([
      400,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  });

  test('with the setting off there is nothing', async () => {
    const set = async (value: string) =>
      expect((await runHostler(['settings', 'set', 'mcp.oauth', value], { directory: hostler.directory })).code).toBe(
        0,
      );
    await set('false');
    await until(async () =>
      (await fetch(`${hostler.base}/.well-known/oauth-protected-resource`)).status === 404 ? true : null,
    );
    const refused = await fetch(endpoint(), { method: 'POST', body: '{}' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="hostler"']);
    await set('true');
  });
});
