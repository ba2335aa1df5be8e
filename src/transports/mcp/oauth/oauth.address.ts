import type { Scope } from '../../../access/scopes.ts';
import { isLoopback } from '../../../core/caller.ts';
import type { HttpRequest } from '../../../core/route-table.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { Settings } from '../../../settings/settings.schema.ts';

/** Paths that the metadata of RFC 9728 and RFC 8414 has, also with the path of the endpoint, as clients try both. */
export const resourcePaths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/api/mcp',
] as const;
export const issuerPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/api/mcp',
] as const;

type Addressed = Pick<HttpRequest, 'headers' | 'base' | 'connection'>;

/** The origin under which the client reaches this service, and the base path. Host is checked before. */
export function requestOrigin({ headers, base, connection }: Addressed): string {
  return `${connection().isEncrypted ? 'https' : 'http'}://${headers.get('host') ?? 'localhost'}${base}`;
}

/** RFC 9728 §5.1: where a client that has no valid token learns how to get one. */
export const challengeOf = (request: Addressed): string =>
  `Bearer realm="hostler", resource_metadata="${requestOrigin(request)}${resourcePaths[1]}"`;

/** RFC 6750 §3.1: the scopes to ask for, so that a client gets the missing one and keeps those it has. */
export const widerChallengeOf = (request: Addressed, scopes: readonly Scope[]): string =>
  `${challengeOf(request)}, error="insufficient_scope", scope="${scopes.join(' ')}"`;

/** As at the endpoint itself. Tokens never travel unencrypted over a network. */
export function refuseElsewhere(request: Addressed, { mcp }: Settings): void {
  const { address, forwarded, isEncrypted } = request.connection();
  if (isLoopback(address) && !forwarded) return;
  if (!mcp.allowRemote)
    throw new ServiceError(
      'forbidden',
      'Only agents on this machine are served; the setting mcp.allowRemote allows others',
    );
  if (isEncrypted) return;
  throw new ServiceError(
    'forbidden',
    'From another machine this works over HTTPS only; the setting server.trustedProxies names the proxies whose X-Forwarded-Proto is believed',
  );
}
