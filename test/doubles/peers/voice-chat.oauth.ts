import { randomBytes } from 'node:crypto';
import http from 'node:http';

/** The OAuth token endpoint, on loopback. */
export interface OAuthEndpoint {
  url: string;
  /** A code that can be exchanged once for tokens with these scopes. */
  issueCode(scopes: string[]): string;
  /** Scopes of a valid access token. */
  scopesOf(accessToken: string): string[] | null;
  /** Creates tokens that are already valid, as from an earlier day. */
  issueTokens(scopes: string[]): IssuedTokens;
  /** All tokens it ever issued, to check that they do not leak. */
  secrets: Set<string>;
  /** The forms it was sent. */
  forms: Record<string, string>[];
  /** Revokes a token, or all of them. */
  revoke(token?: string): void;
  /** A fault to simulate instead of an answer. */
  fault: 'refuse' | 'broken' | 'silence' | 'redirect' | null;
  lifetimeSeconds: number;
  stop(): Promise<void>;
}

export interface IssuedTokens {
  access_token: string;
  refresh_token: string;
}

export async function startOAuthEndpoint(client: { clientId: string; clientSecret: string }): Promise<OAuthEndpoint> {
  const codes = new Map<string, string[]>();
  const access = new Map<string, string[]>();
  const refresh = new Map<string, string[]>();
  const secrets = new Set<string>([client.clientSecret]);
  const make = (prefix: string) => {
    const secret = `${prefix}-${randomBytes(12).toString('hex')}`;
    secrets.add(secret);
    return secret;
  };
  const issueTokens = (scopes: string[]): IssuedTokens => {
    const tokens = { access_token: make('access'), refresh_token: make('refresh') };
    access.set(tokens.access_token, scopes);
    refresh.set(tokens.refresh_token, scopes);
    return tokens;
  };

  /** The scopes that the form grants; null: none. */
  const redeem = (form: Record<string, string>): string[] | null => {
    if (form.client_id !== client.clientId || form.client_secret !== client.clientSecret) return null;
    if (form.grant_type === 'authorization_code' && form.redirect_uri === 'http://localhost') {
      const scopes = codes.get(form.code ?? '') ?? null;
      codes.delete(form.code ?? '');
      return scopes;
    }
    if (form.grant_type !== 'refresh_token') return null;
    const scopes = refresh.get(form.refresh_token ?? '') ?? null;
    refresh.delete(form.refresh_token ?? '');
    return scopes;
  };

  const answer = (request: http.IncomingMessage, form: Record<string, string>): [number, unknown] => {
    endpoint.forms.push(form);
    if (endpoint.fault === 'broken') return [500, { message: `broken while looking at ${JSON.stringify(form)}` }];
    if (endpoint.fault === 'redirect') return [307, {}];
    const scopes = endpoint.fault === 'refuse' ? null : redeem(form);
    if (request.method !== 'POST' || scopes === null) return [400, { error: 'invalid_grant', form }];
    const tokens = issueTokens(scopes);
    return [200, { ...tokens, token_type: 'Bearer', expires_in: endpoint.lifetimeSeconds, scope: scopes.join(' ') }];
  };

  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (endpoint.fault === 'silence') return;
      const [status, value] = answer(request, Object.fromEntries(new URLSearchParams(body)));
      const location = status === 307 ? { location: `${endpoint.url}/elsewhere` } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...location });
      response.end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  const endpoint: OAuthEndpoint = {
    url: `http://127.0.0.1:${port}/api/oauth2/token`,
    issueCode(scopes) {
      const code = make('code');
      codes.set(code, scopes);
      return code;
    },
    scopesOf: (token) => access.get(token) ?? null,
    issueTokens,
    secrets,
    forms: [],
    revoke(token) {
      for (const tokens of [access, refresh]) {
        if (token === undefined) tokens.clear();
        else tokens.delete(token);
      }
    },
    fault: null,
    lifetimeSeconds: 604_800,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}
