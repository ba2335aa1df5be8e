import { hasFields, objectIn } from '../../lib/values.ts';
import type { Scope, Scopes } from '../scopes.ts';

/** A browser that signed in, as it may be shown. */
export interface BrowserSession {
  id: string;
  /** Names of browser and platform, from a fixed list. */
  name: string;
  /** At most those of the token it signed in with. */
  scopes: Scope[];
  /** Name of that token; the session ends with it. */
  token: string;
  /** Whether it lasts for weeks, or ends with its tab. */
  stay: boolean;
  /** Address of its last use. */
  address: string;
  /** ISO times. */
  created: string;
  last_used: string;
  expires: string;
}

export interface StoredSession extends BrowserSession {
  tokenId: string;
  /** The public key, as an uncompressed point in base64url; null: the browser has none, so it cannot be resumed. */
  key: string | null;
}

/** Skips malformed entries; a damaged file ends all sessions. */
export function parseSessions(text: string | null, { isScope }: Pick<Scopes, 'isScope'>): StoredSession[] {
  const entries = objectIn(text)?.sessions;
  return Array.isArray(entries) ? entries.flatMap((entry) => toStored(entry, isScope)) : [];
}

const texts = { id: 'string', name: 'string', token: 'string', tokenId: 'string', address: 'string' } as const;
const times = { created: 'string', last_used: 'string', expires: 'string' } as const;

function toStored(entry: unknown, isScope: Scopes['isScope']): StoredSession[] {
  if (!hasFields(entry, { ...texts, ...times, scopes: 'list', stay: 'boolean' })) return [];
  const { id, name, token, tokenId, address, created, last_used, expires, scopes, stay, key } = entry;
  if (key !== null && !(typeof key === 'string' && isPublicKey(key))) return [];
  return [
    { id, name, token, tokenId, address, created, last_used, expires, scopes: scopes.filter(isScope), stay, key },
  ];
}

/** 65 bytes in base64url; importing the key checks that they are a point of the curve. */
export const isPublicKey = (text: string) => /^[\w-]{87}$/.test(text);
