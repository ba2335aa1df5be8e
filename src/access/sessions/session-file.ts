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
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const entries: unknown = typeof value === 'object' && value !== null && 'sessions' in value ? value.sessions : [];
    return Array.isArray(entries) ? entries.flatMap((entry) => toStored(entry, isScope)) : [];
  } catch {
    return [];
  }
}

const texts = ['id', 'name', 'token', 'tokenId', 'address', 'created', 'last_used', 'expires'] as const;

function toStored(entry: Record<string, unknown> | null, isScope: Scopes['isScope']): StoredSession[] {
  const { scopes, stay, key } = entry ?? {};
  const [id, name, token, tokenId, address, created, last_used, expires] = texts.map((field) => entry?.[field]);
  if (!isText(id) || !isText(name) || !isText(token) || !isText(tokenId) || !isText(address)) return [];
  if (!isText(created) || !isText(last_used) || !isText(expires) || !Array.isArray(scopes)) return [];
  if (typeof stay !== 'boolean' || !(key === null || (isText(key) && isPublicKey(key)))) return [];
  return [
    { id, name, token, tokenId, address, created, last_used, expires, scopes: scopes.filter(isScope), stay, key },
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** 65 bytes in base64url; importing the key checks that they are a point of the curve. */
export const isPublicKey = (text: string) => /^[\w-]{87}$/.test(text);
