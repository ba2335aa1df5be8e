import type { HttpRequest } from '../../core/route-table.ts';
import { addressBytes } from '../../lib/ip-address.ts';
import type { Settings } from '../../settings/settings.schema.ts';

/** What server.basePath and server.trustedProxies decide. */
export type BasePathSettings = Pick<Settings['server'], 'basePath' | 'trustedProxies'>;

/**
 * A request as the routes see it, and the path below which a proxy serves them. A proxy may remove that path or leave it: both work.
 * A trusted proxy may name the path and the client, and says whether the client uses HTTPS. Without either setting it is the request itself.
 */
export function belowBase(
  request: HttpRequest,
  { basePath, trustedProxies }: BasePathSettings,
  address: () => string,
): HttpRequest {
  if (basePath === '' && trustedProxies.length === 0) return request;
  const { headers, path, connection } = request;
  const isTrusted = trustedProxies.length > 0 && trustedProxies.includes(address());
  const base = (isTrusted ? forwardedPrefix(headers) : null) ?? basePath;
  const placed = base === '' ? request : { ...request, base, path: withoutBase(path, base) };
  if (!isTrusted) return placed;
  const client = forwardedFor(headers);
  // Traefik says wss for a WebSocket.
  const isEncrypted = /^(?:https|wss)$/.test(headers.get('x-forwarded-proto') ?? '');
  return { ...placed, connection: () => ({ ...connection(), client, ...(isEncrypted && { isEncrypted }) }) };
}

/** The address that the proxy has added: those before it are what the client says. null: none, or not an address. */
function forwardedFor(headers: Headers): string | null {
  const last = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return last.length <= longestAddress && addressBytes(last) !== null ? last : null;
}

/** null: none, or not a valid one. */
function forwardedPrefix(headers: Headers): string | null {
  const prefix = headers.get('x-forwarded-prefix')?.replace(/\/$/, '') ?? '';
  return prefix !== '' && prefix.length <= longestBase && basePattern.test(prefix) ? prefix : null;
}

/** RFC 8414 §3.1 and RFC 9728 §3.1 put the path of an issuer or a resource behind the well-known one. */
function withoutBase(path: string, base: string): string {
  const [wellKnown = ''] = /^\/\.well-known\/[\w-]+(?=\/)/.exec(path) ?? [];
  const rest = path.slice(wellKnown.length);
  if (rest === base) return wellKnown === '' ? '/' : wellKnown;
  return rest.startsWith(`${base}/`) ? wellKnown + rest.slice(base.length) : path;
}

const longestBase = 200;
const longestAddress = 45;
/** As in the schema of the setting: no dot segments, and nothing that could be an address of the service itself. */
const basePattern = /^(?!\/(?:api|metrics|oauth|\.well-known)(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;
