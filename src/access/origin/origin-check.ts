import { ServiceError } from '../../lib/errors.ts';

/** The target and the origin that a request names. */
export interface Addressing {
  host: string | null;
  origin: string | null;
  port: number;
  /** The request came over the TLS port of this service. */
  isSecure?: boolean;
}

export interface KnownNames {
  /** This machine's names and addresses, lower case; localhost and its addresses among them. */
  names: ReadonlySet<string>;
  /** Those of them that may stand before a search domain. Not localhost and addresses: others may register such names in that domain. */
  hostNames: readonly string[];
  /** Search domains of the resolver, lower case. */
  searchDomains: readonly string[];
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/**
 * Names that exist inside a network only, so no foreign page can have them. Below `ts.net` every customer of Tailscale can publish a page, but
 * not choose the address of its name.
 */
export const privateSuffixes = ['local', 'lan', 'home', 'internal', 'home.arpa', 'localdomain', 'fritz.box', 'ts.net'];

/**
 * Refuses requests of foreign web pages: a page cannot choose the Origin of its requests, and a name that was pointed at this machine
 * (DNS rebinding) appears in Host.
 */
export function checkHostAndOrigin({ host, origin, port, isSecure = false }: Addressing, known: KnownNames): void {
  if (host === null || host === '' || host.includes(',')) {
    // HTTP/1.0 has no Host; browsers always send one.
    if (host === null && origin === null) return;
    throw new ServiceError('forbidden', 'The Host header is missing or appears twice');
  }
  const name = hostnameOf(host);
  if (name === null || !isOurs(name, known)) {
    throw new ServiceError(
      'forbidden',
      `This service is not known as ${JSON.stringify((name ?? host).slice(0, 255))}; add the name to security.allowedHosts in the settings to allow it`,
    );
  }
  if (origin === null) return;
  if (isListed(origin, known.allowedOrigins)) return;
  if (isOwnOrigin(origin, host, { port, isSecure })) return;
  throw new ServiceError(
    'forbidden',
    `Pages of ${JSON.stringify(origin.slice(0, 255))} may not use this service; add the origin to security.allowedOrigins in the settings to allow it`,
  );
}

/** Settings may have a slash at the end of an origin, and any case. */
export function isListed(origin: string, allowedOrigins: readonly string[]): boolean {
  if (origin === '') return false;
  return allowedOrigins.some((allowed) => allowed.toLowerCase().replace(/\/+$/, '') === origin.toLowerCase());
}

/** `name`, `name:port`, `1.2.3.4:port`, `[::1]:port` → the name in lower case without a final dot. */
function hostnameOf(host: string): string | null {
  const match = /^(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(host);
  if (match === null || Number(match[3] ?? 0) > 65_535) return null;
  return (match[1] ?? match[2])?.toLowerCase().replace(/\.$/, '') ?? null;
}

function isOurs(name: string, { names, hostNames, searchDomains, allowedHosts }: KnownNames): boolean {
  if (isAddress(name.split('%')[0] ?? '')) return true;
  if (!name.includes('.')) return name !== '';
  if (name.endsWith('.localhost') || names.has(name)) return true;
  if (privateSuffixes.some((suffix) => name.endsWith(`.${suffix}`))) return true;
  if (searchDomains.some((domain) => hostNames.some((own) => name === `${own}.${domain}`))) return true;
  return allowedHosts.some((allowed) => hostnameOf(allowed) === name);
}

/** An IPv4 or IPv6 address; `1.2` and `0x7f.1`, which some programs accept, are names here. */
function isAddress(text: string): boolean {
  if (text.includes(':')) return URL.canParse(`http://[${text}]`);
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
}

/**
 * The page of this service, under the name of the request: at another address of this machine another program may listen. Another port is a foreign
 * origin.
 */
function isOwnOrigin(origin: string, host: string, { port, isSecure }: { port: number; isSecure: boolean }): boolean {
  const page = URL.parse(origin);
  if (page === null || page.origin !== origin.toLowerCase()) return false;
  if (page.host !== URL.parse(`${page.protocol}//${host}`)?.host) return false;
  // Behind a proxy with TLS the page has the proxy's port, which Host names as well.
  if (page.protocol === 'https:') return true;
  // What was loaded without TLS may have been changed on its way.
  return page.protocol === 'http:' && !isSecure && Number(page.port || 80) === port;
}
