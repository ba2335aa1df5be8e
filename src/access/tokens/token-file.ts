import { ServiceError } from '../../lib/errors.ts';
import { checkFileVersion } from '../../lib/file-version.ts';
import { isObject } from '../../lib/values.ts';
import type { Scope, Scopes } from '../scopes.ts';

/** Where a token is valid: everywhere, or at the endpoint for agents only. */
export type TokenKind = 'general' | 'agent';

/** A token as it may be shown: everything but the secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scopes: Scope[];
  kind: TokenKind;
  /** ISO time; null for the first token. */
  created: string | null;
}

/** A token in the file, with the hash of its secret only. */
export interface StoredToken extends TokenInfo {
  sha256: string;
}

/** Version of the file. In a newer one, an entry may grant less than it would here. */
const tokensVersion = 1;

export const storedText = (tokens: readonly StoredToken[]) =>
  `${JSON.stringify({ version: tokensVersion, tokens }, null, 2)}\n`;

/** Skips malformed entries: a damaged file grants no access. */
export function parseStored(text: string | null, file: string, { isScope }: Pick<Scopes, 'isScope'>): StoredToken[] {
  if (text === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('failed', `${file} is damaged; remove it and create the tokens again`, { cause });
  }
  if (!isObject(value)) return [];
  checkFileVersion(file, value.version, tokensVersion, 'remove the file and create the tokens again');
  const entries = value.tokens;
  return Array.isArray(entries) ? entries.flatMap((entry) => toStored(entry, isScope)) : [];
}

function toStored(entry: Record<string, unknown> | null, isScope: Scopes['isScope']): StoredToken[] {
  const { id, name, scopes, kind, created, sha256 } = entry ?? {};
  if (typeof id !== 'string' || typeof name !== 'string' || !Array.isArray(scopes)) return [];
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return [];
  // Tokens of older versions have no kind; a token of an unknown kind is not accepted.
  if (kind !== undefined && kind !== 'general' && kind !== 'agent') return [];
  return [
    {
      id,
      name,
      scopes: scopes.filter(isScope),
      kind: kind ?? 'general',
      created: typeof created === 'string' ? created : null,
      sha256,
    },
  ];
}
