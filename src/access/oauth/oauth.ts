import type { Connection } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createBuckets, takeOrRefuse } from '../../lib/token-buckets.ts';
import { budgets, networkOf } from '../limits/budgets.ts';
import { neverPaired } from '../pairing/grants.ts';
import type { Pairing } from '../pairing/pairing.ts';
import { pairingOff } from '../pairing/refusals.ts';
import type { Asked } from '../pairing/requests.ts';
import type { Scope, Scopes } from '../scopes.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { createOauthClients, isRegistered, isTrustedAddress, type OauthClient } from './clients.ts';
import { OauthError } from './oauth-error.ts';
import { createOauthGrants, type IssuedGrant } from './oauth-grants.ts';

/** OAuth 2.1 for agents. A client gets a grant only after the user agreed to the prompt of pairing. */
export interface Oauth {
  scopes: Scopes;
  /** Whether clients may ask for grants. Grants are refreshed and revoked regardless. */
  isOpen(): boolean;
  /** `share`: whose limit of registrations applies. */
  register(metadata: unknown, share: string): { id: string; client: OauthClient };
  /** Checks a request for authorisation. Throws OauthError: the client that registered itself gets no redirect before the user agreed (RFC 9700 §4.11.2). */
  check(query: URLSearchParams, origin: string): AuthorisationRequest;
  /** Opens the prompt. `claim`: proves later that the same page polls. */
  ask(request: AuthorisationRequest, connection: Connection, claim: string): Promise<Asked>;
  /** The answer of the user; null: none yet. It is returned once. */
  answer(id: string, claim: string): Promise<AuthorisationAnswer | null>;
  /** RFC 6749 §3.2. Throws OauthError. */
  token(form: URLSearchParams, address: string, origin: string): IssuedGrant;
  /** RFC 7009. */
  revoke(form: URLSearchParams, address: string): void;
}

export interface AuthorisationRequest {
  clientId: string;
  client: OauthClient;
  redirectUri: string;
  /** null: a client with a secret omitted PKCE. */
  challenge: string | null;
  state: string | null;
  scopes: Scope[];
  origin: string;
}

/** Where the client gets the answer. */
export interface AuthorisationAnswer {
  location: string;
  /** The sentence that the page shows, with a link instead of a redirect: the user did not agree, and may not trust the address. */
  refused: string | null;
}

export interface OauthParts {
  scopes: Scopes;
  tokens: Pick<Tokens, 'first' | 'change' | 'list' | 'hasGrant'>;
  pairing: Pick<Pairing, 'isEnabled' | 'askForAgent' | 'answerForAgent'>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  log: Pick<Log, 'info' | 'warn'>;
}

/** A code, from its issue until it expires. `spent`: the grant it was used for; null: unused. */
interface Code {
  request: AuthorisationRequest;
  scopes: readonly Scope[];
  until: number;
  spent: string | null;
}

const { codeMs, codes: mostCodes, registrations, requests: requestRate } = budgets.unauthenticated.oauth;
const mostRequests = budgets.unauthenticated.pairing.outcomes;
/** The path that agents use; tokens are valid there only. */
export const agentPath = '/api/mcp';

export function createOauth({ scopes: known, tokens, pairing, clock, log }: OauthParts): Oauth {
  const clients = createOauthClients(tokens);
  const grants = createOauthGrants(tokens, clock);
  const registering = createBuckets(registrations, clock.monotonic);
  const asking = createBuckets(requestRate, clock.monotonic);
  const requests = new Map<string, AuthorisationRequest>();
  const codes = new Map<string, Code>();

  const newCode = (request: AuthorisationRequest, scopes: readonly Scope[]): string => {
    for (const [key, { until }] of codes) if (until <= clock.monotonic() || codes.size >= mostCodes) codes.delete(key);
    const code = randomBytes(32).toString('base64url');
    codes.set(keyOf(code), { request, scopes, until: clock.monotonic() + codeMs, spent: null });
    return code;
  };

  const redeem = (form: URLSearchParams, identity: string): IssuedGrant | null => {
    const code = codes.get(keyOf(form.get('code') ?? ''));
    if (code === undefined || code.until <= clock.monotonic()) return null;
    if (code.spent !== null) {
      // It was intercepted, by the first client or by this one.
      log.warn(
        `access: an authorisation code of ${JSON.stringify(code.request.client.name)} came twice; its grant ended`,
      );
      grants.revokeId(code.spent);
      return null;
    }
    code.spent = '';
    const { request, scopes } = code;
    const isSameClient = request.clientId === form.get('client_id') && request.redirectUri === form.get('redirect_uri');
    // Its secret was not checked if the first token was replaced meanwhile.
    if (!isSameClient || clients.find(request.clientId) === null) return null;
    if (!isVerifier(form.get('code_verifier'), request.challenge)) return null;
    const grant = grants.open({ name: request.client.name, scopes, identity });
    code.spent = grant.id;
    return grant;
  };

  /**
   * What identifies the client: its id, with its secret if it has one. Throws if it did not send that. After the first token was replaced the id is
   * unknown, but the identity still finds the grant.
   */
  const authenticated = (form: URLSearchParams): string => {
    const id = single(form, 'client_id') ?? '';
    const secret = single(form, 'client_secret') ?? '';
    const client = clients.find(id);
    if (client?.hasSecret && !clients.isSecretOf(id, secret))
      throw new OauthError('invalid_client', 'The secret of this client is missing or wrong');
    return secret === '' || client?.hasSecret === false ? id : `${id} ${secret}`;
  };

  /** Failures count: what is valid is not refused because of others. */
  const countingFailures = <T>(address: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      takeOrRefuse(asking, networkOf(address), 'Too many requests for tokens from this address');
      throw error;
    }
  };

  const requireOpen = () => {
    if (!pairing.isEnabled()) throw new OauthError('access_denied', pairingOff);
  };

  return {
    scopes: known,
    isOpen: pairing.isEnabled,
    register(metadata, share) {
      requireOpen();
      takeOrRefuse(registering, share, 'Too many clients were registered from this address');
      return clients.register(metadata);
    },
    check(query, origin) {
      requireOpen();
      const clientId = single(query, 'client_id');
      const client = clients.find(clientId ?? '');
      if (clientId === null || client === null)
        throw new OauthError('invalid_client', 'This program is not registered here. Let it register again');
      const redirectUri = single(query, 'redirect_uri');
      if (redirectUri === null || !isRegistered(client, redirectUri))
        throw new OauthError('invalid_request', 'This program did not register the address it wants the answer at');
      const state = single(query, 'state');
      if (single(query, 'response_type') !== 'code')
        throw new OauthError('unsupported_response_type', 'response_type must be code');
      const challenge = single(query, 'code_challenge');
      const hasPkce = /^[\w-]{43}$/.test(challenge ?? '') && single(query, 'code_challenge_method') === 'S256';
      if (!hasPkce && !(client.hasSecret && challenge === null))
        throw new OauthError('invalid_request', 'PKCE with S256 is required');
      if (!isOurResource(query, origin)) throw new OauthError('invalid_target', `Only ${origin}${agentPath} is served`);
      const scopes = wantedScopes(single(query, 'scope'), known);
      if (scopes.length === 0) throw new OauthError('invalid_scope', 'None of these scopes can be granted here');
      return { clientId, client, redirectUri, challenge, state, scopes, origin };
    },
    async ask(request, connection, claim) {
      const { client, scopes, redirectUri } = request;
      const agent = { goesTo: new URL(redirectUri).host };
      const asked = await pairing.askForAgent({ name: client.name, scopes, agent }, connection, claim);
      const [oldest] = requests.keys();
      if (oldest !== undefined && requests.size >= mostRequests) requests.delete(oldest);
      requests.set(asked.id, request);
      return asked;
    },
    async answer(id, claim) {
      const outcome = await pairing.answerForAgent(id, claim);
      if (outcome.state === 'waiting') return null;
      const request = requests.get(id);
      requests.delete(id);
      if (request === undefined) throw new ServiceError('not_found', 'This request was answered already');
      if (outcome.state === 'refused')
        return {
          location: locationOf(request, { error: 'access_denied', error_description: outcome.reason }),
          refused: isTrustedAddress(request.client, request.redirectUri) ? null : outcome.reason,
        };
      log.info(
        `access: ${JSON.stringify(request.client.name)} gets a token for agents with ${outcome.wish.scopes.join(', ')} (OAuth, ${outcome.how})`,
      );
      return { location: locationOf(request, { code: newCode(request, outcome.wish.scopes) }), refused: null };
    },
    token: (form, address, origin) =>
      countingFailures(address, () => {
        const type = single(form, 'grant_type');
        if (type !== 'authorization_code' && type !== 'refresh_token')
          throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
        if (!isOurResource(form, origin))
          throw new OauthError('invalid_target', `Only ${origin}${agentPath} is served`);
        const identity = authenticated(form);
        const grant =
          type === 'authorization_code'
            ? redeem(form, identity)
            : grants.refresh(single(form, 'refresh_token') ?? '', identity);
        if (grant !== null) return grant;
        throw new OauthError(
          'invalid_grant',
          'This code or refresh token is not valid, was used already or has expired',
        );
      }),
    revoke: (form, address) =>
      countingFailures(address, () => grants.revoke(single(form, 'token') ?? '', authenticated(form))),
  };
}

/** The scopes that a client may ask for; without any that is known, those of agents. */
function wantedScopes(given: string | null, { isScope, agents }: Scopes): Scope[] {
  const named = (given ?? '').split(' ').filter((name) => name !== '');
  if (named.length === 0) return [...agents];
  return [...new Set(named.filter(isScope))].filter((scope) => scope !== neverPaired);
}

/** RFC 8707: absent, the endpoint of agents, or this service as a whole. `origin` ends with the path below which a proxy serves it. */
function isOurResource(form: URLSearchParams, origin: string): boolean {
  const base = URL.parse(origin)?.pathname.replace(/\/$/, '');
  const paths = [agentPath, `${agentPath}/`, '/', ''].map((path) => `${base}${path}`);
  return form.getAll('resource').every((resource) => {
    const url = URL.parse(resource);
    return url?.origin === URL.parse(origin)?.origin && paths.includes(url?.pathname ?? '');
  });
}

/** RFC 9207: `iss` names this service. */
function locationOf(
  { redirectUri, state, origin }: Pick<AuthorisationRequest, 'redirectUri' | 'state' | 'origin'>,
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state !== null && { state }), iss: origin }))
    url.searchParams.set(name, value);
  return url.href;
}

/** A verifier without a challenge: the challenge was removed on the way (RFC 9700 §2.1.1). */
function isVerifier(verifier: string | null, challenge: string | null): boolean {
  if (verifier === null || challenge === null) return verifier === challenge;
  return /^[\w.~-]{43,128}$/.test(verifier) && sha256(verifier).toString('base64url') === challenge;
}

/** null: absent. A repeated parameter is an error (RFC 6749 §3.1). */
function single(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new OauthError('invalid_request', `${name} appears more than once`);
  return values[0] ?? null;
}

const keyOf = (code: string) => sha256(code).toString('base64url');
