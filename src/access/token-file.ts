import { ServiceError } from '../core/errors.ts';
import { isScope, type Scope } from './scopes.ts';

/** A token as it may be shown: everything but the secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scopes: Scope[];
  /** ISO time; null for the first token. */
  created: string | null;
}

/** A token as it is kept: its secret is known by its hash only. */
export interface StoredToken extends TokenInfo {
  sha256: string;
}

/** Entries that are not whole are no tokens: nobody gets in by a damaged file. */
export function parseStored(text: string | null, file: string): StoredToken[] {
  if (text === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('failed', `${file} is damaged; remove it and make the tokens anew`, { cause });
  }
  const entries: unknown = typeof value === 'object' && value !== null && 'tokens' in value ? value.tokens : [];
  return Array.isArray(entries) ? entries.flatMap(toStored) : [];
}

function toStored(entry: Record<string, unknown> | null): StoredToken[] {
  const { id, name, scopes, created, sha256 } = entry ?? {};
  if (typeof id !== 'string' || typeof name !== 'string' || !Array.isArray(scopes)) return [];
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return [];
  return [{ id, name, scopes: scopes.filter(isScope), created: typeof created === 'string' ? created : null, sha256 }];
}
