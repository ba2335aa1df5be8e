import type { Place } from '../../access/limits/admission-queue.ts';
import type { Connection, PeerEnd } from '../../core/caller.ts';
import type { HttpRequest, SocketPeer } from '../../core/route-table.ts';

/** What a server knows about the connections of its requests: one object for all of them. */
export interface HttpPeer {
  end(raw: Request): PeerEnd;
  isOurUser(end: PeerEnd, how?: 'batched'): Promise<boolean>;
  /** It uses the port with TLS. Headers do not count. */
  isEncrypted: boolean;
  /** Lifts the idle limit of the connection; omitted: there is none. */
  unhurried?(raw: Request): void;
  /** Omitted: it serves no WebSockets. */
  upgrade?(raw: Request, peer: SocketPeer, place: Place): boolean;
}

export function toHttpRequest(raw: Request, peer: HttpPeer): HttpRequest {
  const { path, rawQuery } = splitTarget(raw.url);
  const { headers } = raw;
  return {
    method: raw.method,
    path,
    base: '',
    rawQuery,
    headers,
    apiToken: headers.get('x-api-token'),
    raw,
    unhurried: () => peer.unhurried?.(raw),
    upgrade: (socketPeer, place) => peer.upgrade?.(raw, socketPeer, place) ?? false,
    connection() {
      const end = peer.end(raw);
      const { isOurUser, isEncrypted } = peer;
      const name = nameIn(headers.get('host'));
      const at = { ...end, ...(name !== undefined && { name }) };
      return { ...at, forwarded: isPassedOn(headers), isEncrypted, isOurUser: lookupOf(isOurUser, end) };
    },
  };
}

/** A separate function: a WebSocket holds the closure while it is open, and an inner function would hold the whole request. */
function lookupOf(isOurUser: HttpPeer['isOurUser'], end: PeerEnd): Connection['isOurUser'] {
  return (how) => isOurUser(end, how);
}

/** Without localhost and addresses, which belong to no other machine. */
const nameIn = (host: string | null): string | undefined =>
  /^(?!localhost(?::|$)|[\d.]+(?::|$))[\w.-]{1,253}(?=:|$)/i.exec(host ?? '')?.[0].slice(-longestName);
/** The end of a longer name says whose it is. */
const longestName = 64;

/** A single proxy header is enough. */
function isPassedOn(headers: Headers): boolean {
  return [...headers.keys()].some((name) => addedByProxies.test(name));
}

/** Forwarded, X-Forwarded-…, X-Real-IP, X-Client-IP, CF-Connecting-IP, Tailscale-User-Login and similar headers of reverse proxies, tunnels and CDNs. */
const addedByProxies = /^via$|forwarded|(?:real|client|connecting)-ip$|^tailscale-|^x-envoy-external-address$/;

/** The runtime gives `http://host/path?query`, or the bare path if Host is missing or invalid. */
function splitTarget(url: string): { path: string; rawQuery: string } {
  const scheme = url.indexOf('://');
  const start = url.startsWith('/') || scheme === -1 ? 0 : url.indexOf('/', scheme + 3);
  if (start === -1) return { path: '/', rawQuery: '' };
  const mark = url.indexOf('?', start);
  if (mark === -1) return { path: url.slice(start), rawQuery: '' };
  return { path: url.slice(start, mark), rawQuery: url.slice(mark + 1) };
}

/**
 * The secrets of a request: one valid secret is enough, so the headers after it are not read. Repeated headers are joined by a comma, which
 * no secret contains.
 */
export function* secretsOf({ apiToken, headers }: Pick<HttpRequest, 'apiToken' | 'headers'>): Generator<string, void> {
  if (apiToken !== null) yield apiToken;
  yield headers.get('token') ?? '';
  const bearer = headers.get('authorization') ?? '';
  if (/^bearer /i.test(bearer)) yield bearer.slice(7).trim();
}

/** The same for clients that can only send a name and a password. */
export function* passwordsOf(request: Pick<HttpRequest, 'apiToken' | 'headers'>): Generator<string, void> {
  yield* secretsOf(request);
  yield* basicPasswordOf(request.headers);
}

/** The password of `Authorization: Basic`; the name is ignored. Empty: none. */
export function basicPasswordOf(headers: Headers): string[] {
  const [, encoded] = /^basic +([a-z0-9+/]+=*)$/i.exec(headers.get('authorization')?.trim() ?? '') ?? [];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair.slice(colon + 1)];
}
