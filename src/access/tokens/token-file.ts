import { ServiceError } from '../../lib/errors.ts';
import { checkFileVersion } from '../../lib/file-version.ts';
import { hasFields, isObject } from '../../lib/values.ts';
import type { Scope, Scopes } from '../scopes.ts';

/** Where a token is valid: everywhere, or at the endpoint for agents only. oauth: for agents as well, and its secrets expire. */
export type TokenKind = 'general' | 'agent' | 'oauth';

/** A token as it may be shown: everything but the secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scopes: Scope[];
  kind: TokenKind;
  /** ISO time; null for the first token. */
  created: string | null;
  /** ISO time: when a grant of OAuth ends unless it is refreshed; omitted: it does not expire. */
  expires?: string;
}

/** A token in the file, with the hash of its secret only. */
export interface StoredToken extends TokenInfo {
  sha256: string;
  oauth?: StoredGrant;
}

/** Of a grant of OAuth: the hashes of its client and of its refresh token, and when its secret expires, as ISO time. */
export interface StoredGrant {
  client: string;
  family: string;
  refresh: string;
  access_expires: string;
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

function toStored(entry: unknown, isScope: Scopes['isScope']): StoredToken[] {
  if (!hasFields(entry, { id: 'string', name: 'string', scopes: 'list', sha256: 'string' })) return [];
  const { id, name, scopes, kind, created, sha256 } = entry;
  if (!/^[0-9a-f]{64}$/.test(sha256)) return [];
  // Tokens of older versions have no kind; a token of an unknown kind is not accepted.
  if (kind !== undefined && kind !== 'general' && kind !== 'agent' && kind !== 'oauth') return [];
  const grant = kind === 'oauth' ? toGrant(entry) : {};
  if (grant === null) return [];
  return [
    {
      id,
      name,
      scopes: scopes.filter(isScope),
      kind: kind ?? 'general',
      created: typeof created === 'string' ? created : null,
      sha256,
      ...grant,
    },
  ];
}

/** null: it is incomplete. */
function toGrant({ expires, oauth }: Record<string, unknown>): Pick<StoredToken, 'expires' | 'oauth'> | null {
  const fields = { client: 'string', family: 'string', refresh: 'string', access_expires: 'string' } as const;
  if (typeof expires !== 'string' || !hasFields(oauth, fields)) return null;
  const { client, family, refresh, access_expires } = oauth;
  return { expires, oauth: { client, family, refresh, access_expires } };
}
