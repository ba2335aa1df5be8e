import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { ServiceError } from '../core/errors.ts';
import type { Host } from '../host/host.ts';
import { allScopes, isScope, type Scope } from './scopes.ts';

/** A token as it may be shown: everything but the secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scopes: Scope[];
  /** ISO time; null for the first token. */
  created: string | null;
}

/** What a secret grants. */
export interface Grant extends TokenInfo {
  granted: ReadonlySet<Scope>;
}

/** The tokens on disk. Every process of ours sees a change by another at its next look. */
export interface Tokens {
  /** The token with this secret; null: there is none. Takes as long for a wrong one as for a right one. */
  find(secret: string): Grant | null;
  /** Whether a token found earlier is still good. */
  valid(id: string): boolean;
  list(): TokenInfo[];
  /** The secret of the first token, which can do everything; made when there is none. */
  first(): string;
  create(name: string, scopes: Scope[]): { secret: string; token: TokenInfo };
  revoke(idOrName: string): TokenInfo;
  /** A new secret in place of the old one. */
  rotate(idOrName: string): string;
  firstFile: string;
  file: string;
}

/** Where the first token's secret is, as a line of text; the others are known by their hashes only. */
export const firstTokenFile = 'token';
export const tokensFile = 'tokens.json';
export const firstTokenName = 'main';
const maxTokens = 100;
/** A token revoked by another process is refused after this at the latest. Looking costs more than the rest of the check. */
const lookEveryMs = 20;

interface StoredToken extends TokenInfo {
  sha256: string;
}

interface Known extends Grant {
  hash: Buffer;
}

export function openTokens({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>): Tokens {
  const firstFile = path.join(paths.state, firstTokenFile);
  const file = path.join(paths.state, tokensFile);
  let seen: string | null = null;
  let known: Known[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  const look = (): Known[] => {
    const now = clock.monotonic();
    if (now - lookedAt < lookEveryMs) return known;
    lookedAt = now;
    const signature = `${storage.signature(firstFile)} ${storage.signature(file)}`;
    if (signature === seen) return known;
    const first = storage.read(firstFile)?.trim() ?? '';
    known = [...(first === '' ? [] : [firstToken(first)]), ...readStored().map(toKnown)];
    seen = signature;
    return known;
  };

  const readStored = (): StoredToken[] => parseStored(storage.read(file), file);

  const change = <T>(edit: (stored: StoredToken[]) => { stored: StoredToken[]; result: T }): T =>
    storage.locked(file, () => {
      const { stored, result } = edit(readStored());
      storage.write(file, `${JSON.stringify({ tokens: stored }, null, 2)}\n`);
      lookAnew();
      return result;
    });

  const lookAnew = () => {
    lookedAt = Number.NEGATIVE_INFINITY;
  };

  const writeFirst = (): string => {
    const secret = newSecret();
    storage.prepareDirectory(paths.state);
    storage.write(firstFile, `${secret}\n`);
    lookAnew();
    return secret;
  };

  const pick = (stored: StoredToken[], idOrName: string): StoredToken => {
    const found = stored.find(({ id, name }) => id === idOrName || name === idOrName);
    if (found !== undefined) return found;
    throw new ServiceError(
      'not_found',
      `There is no token ${JSON.stringify(idOrName.slice(0, 64))}; "hostler token list" shows them`,
    );
  };

  return {
    firstFile,
    file,
    find(secret) {
      const presented = hashOf(secret);
      let found: Known | null = null;
      // No early end: how long it takes must not tell how far it came.
      for (const token of look()) if (timingSafeEqual(token.hash, presented)) found = token;
      return found;
    },
    valid: (id) => look().some((token) => token.id === id),
    list: () => look().map(toInfo),
    first: () => storage.read(firstFile)?.trim() || writeFirst(),
    create(name, scopes) {
      checkName(name);
      const secret = newSecret();
      const id = randomBytes(6).toString('hex');
      const token: TokenInfo = { id, name, scopes, created: new Date(clock.now()).toISOString() };
      storage.prepareDirectory(paths.state);
      return change((stored) => {
        if (name === firstTokenName || stored.some((other) => other.name === name)) {
          throw new ServiceError(
            'conflict',
            `There is a token ${JSON.stringify(name)} already; revoke it first, or choose another name`,
          );
        }
        if (stored.length >= maxTokens)
          throw new ServiceError('conflict', `There are ${maxTokens} tokens already; revoke some first`);
        return { stored: [...stored, { ...token, sha256: hashOf(secret).toString('hex') }], result: { secret, token } };
      });
    },
    revoke(idOrName) {
      if (idOrName === firstTokenName) {
        throw new ServiceError('conflict', 'The first token cannot be revoked, only replaced: "hostler token rotate"');
      }
      return change((stored) => {
        const token = pick(stored, idOrName);
        return { stored: stored.filter((other) => other !== token), result: toInfo(token) };
      });
    },
    rotate(idOrName) {
      if (idOrName === firstTokenName) return writeFirst();
      const secret = newSecret();
      return change((stored) => {
        const token = pick(stored, idOrName);
        // A new id as well: what was opened with the old secret ends.
        const renewed = { ...token, id: randomBytes(6).toString('hex'), sha256: hashOf(secret).toString('hex') };
        return { stored: stored.map((other) => (other === token ? renewed : other)), result: secret };
      });
    },
  };
}

function firstToken(secret: string): Known {
  const sum = hashOf(secret);
  // The id follows the secret, so that a replaced token is another token.
  const id = `main-${sum.toString('hex').slice(0, 12)}`;
  return { id, name: firstTokenName, scopes: allScopes, created: null, granted: new Set(allScopes), hash: sum };
}

const toKnown = ({ sha256, ...info }: StoredToken): Known => ({
  ...info,
  granted: new Set(info.scopes),
  hash: Buffer.from(sha256, 'hex'),
});

const toInfo = ({ id, name, scopes, created }: TokenInfo): TokenInfo => ({ id, name, scopes, created });

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** 256 random bits, in characters that need no escaping anywhere. */
const newSecret = () => randomBytes(32).toString('base64url');

function checkName(name: string): void {
  if (/^[\w .:@-]{1,64}$/.test(name)) return;
  throw new ServiceError('invalid', 'A token name has 1 to 64 letters, digits, spaces or . : @ _ -');
}

/** Entries that are not whole are no tokens: nobody gets in by a damaged file. */
function parseStored(text: string | null, file: string): StoredToken[] {
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
