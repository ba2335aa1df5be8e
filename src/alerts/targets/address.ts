import { isNear } from '../../lib/near-host.ts';

/** A URL such as Apprise and Shoutrrr know it. Not a URL of the web: the authority of some is a token with a colon, and `#` begins the name of a room. */
export interface TargetAddress {
  scheme: string;
  /** Empty: none. */
  user: string;
  password: string;
  /** What follows the user, as it is written. */
  authority: string;
  path: readonly string[];
  query: ReadonlyMap<string, string>;
}

/** null: not the form of such a URL. */
export function parseTargetAddress(text: string): TargetAddress | null {
  const [, scheme = '', whole = '', rest = '', search = ''] =
    /^([a-z][a-z0-9]*):\/\/([^/?\s]*)([^?\s]*)(?:\?(\S*))?$/i.exec(text.trim()) ?? [];
  if (scheme === '') return null;
  const at = whole.lastIndexOf('@');
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/.exec(at < 0 ? '' : whole.slice(0, at)) ?? [];
  try {
    return {
      scheme: scheme.toLowerCase(),
      user: decodeURIComponent(user),
      password: decodeURIComponent(password),
      authority: decodeURIComponent(whole.slice(at + 1)),
      path: rest.split('/').filter(Boolean).map(decodeURIComponent),
      // Apprise marks headers by a plus sign, which would become a space.
      query: new Map(new URLSearchParams(search.replace(/(^|&)\+/g, '$1%2B'))),
    };
  } catch {
    // A percent sign that begins no code.
    return null;
  }
}

/** `https://host:port` of a server. Throws if its name is not valid, or secrets would cross the internet in clear text. */
export function originOf({ scheme, authority }: TargetAddress, isSecure: boolean): string {
  const origin = `${isSecure ? 'https' : 'http'}://${authority}`;
  if (!URL.canParse(origin) || !/^(?:\[[\da-f:]+\]|[\w.-]+)(?::\d+)?$/i.test(authority))
    throw new Error('the name of its server is missing or not valid');
  if (!isSecure && !isNear(new URL(origin).hostname))
    throw new Error(`${scheme}:// is not encrypted, which is allowed only for servers in the local network`);
  return origin;
}

/** The parts of an address that may be secret, the longest first. `server`: what may be shown. */
export function secretParts({ user, password, authority, path, query }: TargetAddress, server: string): string[] {
  const hidden = server === '' ? [authority, ...authority.split(':')] : [];
  // Recipients are separated by commas.
  const values = [...query.values()]
    .filter((value) => value !== server)
    .flatMap((value) => [value, ...value.split(',')]);
  const parts = [user, password, ...path, ...values, ...hidden];
  // A server may repeat the headers of the request or the lines of a login.
  const logins = [...parts, `${user}:${password}`, `\0${user}\0${password}`].filter(isWorthHiding).map(inBase64);
  return [...parts, ...logins]
    .filter((part, at, all) => isWorthHiding(part) && all.indexOf(part) === at)
    .sort((a, b) => b.length - a.length);
}

/** Replaces the parts, also as a server writes what it repeats: in JSON, HTML or an address. */
export function withoutParts(text: string, parts: readonly string[]): string {
  const hide = (shown: string) => parts.reduce((cleaned, part) => cleaned.replaceAll(part, '…'), shown);
  return [fromJson, fromHtml, fromPercent].reduce((shown, decode) => hide(decode(shown)), hide(text));
}

const character = (code: string, base: number) => String.fromCharCode(Number.parseInt(code, base));

const fromJson = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code, plain) => plain ?? character(code, 16));

const fromHtml = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,4})|#(\d{1,5})|(amp|lt|gt|quot|apos));/gi, (_, hex, code, name) =>
    hex !== undefined
      ? character(hex, 16)
      : code !== undefined
        ? character(code, 10)
        : (entities[name.toLowerCase()] ?? ''),
  );

const fromPercent = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const isWorthHiding = (part: string) => part.length >= 4;

export const basicAuth = (user: string, password: string) => `Basic ${inBase64(`${user}:${password}`)}`;

const inBase64 = (text: string) => Buffer.from(text).toString('base64');
