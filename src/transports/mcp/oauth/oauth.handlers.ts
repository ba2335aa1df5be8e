import { networkOf } from '../../../access/limits/budgets.ts';
import { agentPath, type Oauth } from '../../../access/oauth/oauth.ts';
import { OauthError } from '../../../access/oauth/oauth-error.ts';
import { neverPaired } from '../../../access/pairing/grants.ts';
import { isLocal } from '../../../core/caller.ts';
import type { Handler } from '../../../core/route-table.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { isObject } from '../../../lib/values.ts';
import { readUnauthenticatedForm, readUnauthenticatedJson } from '../../http/body.ts';
import { jsonResponse } from '../../http/respond.ts';
import { requestOrigin } from './oauth.address.ts';
import { consentPage, refusalPage } from './oauth.page.ts';

export type OauthHandlers = Record<
  'resource' | 'server' | 'page' | 'ask' | 'answer' | 'register' | 'token' | 'revoke',
  Handler
>;

export function createOauthHandlers(load: () => Promise<Oauth>): OauthHandlers {
  return {
    async resource(request) {
      const { scopes } = await load();
      const origin = requestOrigin(request);
      return jsonResponse({
        resource: `${origin}${agentPath}`,
        authorization_servers: [origin],
        // Clients ask for all of these: the usual ones only.
        scopes_supported: scopes.agents,
        bearer_methods_supported: ['header'],
        resource_name: 'Hostler',
      });
    },
    async server(request) {
      const { scopes, isOpen } = await load();
      const issuer = requestOrigin(request);
      return jsonResponse({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        ...(isOpen() && { registration_endpoint: `${issuer}/oauth/register` }),
        revocation_endpoint: `${issuer}/oauth/revoke`,
        scopes_supported: scopes.all.filter((scope) => scope !== neverPaired),
        // Clients require the address and the list also when both answer nothing.
        response_types_supported: isOpen() ? ['code'] : [],
        response_modes_supported: ['query'],
        grant_types_supported: isOpen() ? ['authorization_code', 'refresh_token'] : ['refresh_token'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      });
    },
    async page(request) {
      const oauth = await load();
      try {
        const asked = oauth.check(new URLSearchParams(request.rawQuery), requestOrigin(request));
        return consentPage(asked, oauth.scopes);
      } catch (thrown) {
        if (!(thrown instanceof OauthError)) throw thrown;
        return refusalPage(thrown.message);
      }
    },
    ask: (request) =>
      answering(async () => {
        const oauth = await load();
        const { query, claim } = texts(await readUnauthenticatedJson(request.raw));
        if (!/^[\w-]{43}$/.test(claim)) throw new ServiceError('invalid', 'claim must be 32 bytes in base64url');
        const wanted = oauth.check(new URLSearchParams(query), requestOrigin(request));
        const { id, digits, expires_in } = await oauth.ask(wanted, request.connection(), claim);
        return { id, digits, expires_in };
      }),
    answer: (request) =>
      answering(async () => {
        const { id, claim } = texts(await readUnauthenticatedJson(request.raw));
        return (await (await load()).answer(id, claim)) ?? { location: null };
      }),
    register: (request) =>
      answering(async () => {
        const { address } = request.connection();
        const share = (await isLocal(request)) ? 'own user' : networkOf(address);
        const { id, client } = (await load()).register(await readUnauthenticatedJson(request.raw), share);
        return {
          client_id: id,
          client_name: client.name,
          redirect_uris: client.redirects,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        };
      }, 201),
    token: (request) =>
      answering(async () => {
        const { address } = request.connection();
        const { access, refresh, expiresIn, scopes } = (await load()).token(
          await readUnauthenticatedForm(request.raw),
          address,
          requestOrigin(request),
        );
        return {
          access_token: access,
          token_type: 'Bearer',
          expires_in: expiresIn,
          refresh_token: refresh,
          scope: scopes.join(' '),
        };
      }),
    // RFC 7009: the answer is the same for an unknown token.
    revoke: (request) =>
      answering(async () => {
        (await load()).revoke(await readUnauthenticatedForm(request.raw), request.connection().address);
        return {};
      }),
  };
}

/** A refusal of OAuth has its own form; others are answered as everywhere. */
async function answering(work: () => Promise<unknown>, status = 200): Promise<Response> {
  try {
    return jsonResponse(await work(), status);
  } catch (thrown) {
    if (!(thrown instanceof OauthError)) throw thrown;
    const { code, message } = thrown;
    return jsonResponse({ error: code, error_description: message }, code === 'invalid_client' ? 401 : 400);
  }
}

/** The texts of a body of our own page; others are empty. */
function texts(body: unknown): Record<'query' | 'claim' | 'id', string> {
  const given = isObject(body) ? body : {};
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  return { query: text('query'), claim: text('claim'), id: text('id') };
}
