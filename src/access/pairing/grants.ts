import { ServiceError } from '../../lib/errors.ts';
import type { Scope } from '../scopes.ts';
import { type BrowserSessions, pairedTokenId, type SignedIn } from '../sessions/sessions.ts';
import { checkTokenName } from '../tokens/token-names.ts';
import type { Tokens } from '../tokens/tokens.ts';

export interface PairedToken {
  token: string;
  id: string;
  name: string;
  scopes: Scope[];
}

export interface GrantWish {
  name: string;
  scopes: Scope[];
  /** A browser gets a session instead of a lasting token. */
  browser: { key: string | null; stay: boolean } | null;
  address: string;
  /** A grant of OAuth, for agents only; omitted: a device pairs. */
  agent?: { goesTo: string };
}

export type PairGrants = (wish: GrantWish) => Promise<PairedToken | SignedIn>;

/** Never granted by pairing: this scope can give access to others, so it is granted at the machine only. */
export const neverPaired: Scope = 'admin';

export function createPairGrants(
  tokens: Pick<Tokens, 'list' | 'create'>,
  browsers: Pick<BrowserSessions, 'open'>,
): PairGrants {
  return async ({ name, scopes, browser, address }) => {
    if (browser !== null) {
      const from = { id: pairedTokenId, name: 'pairing', scopes, kind: 'general', created: null } as const;
      return await browsers.open({ ...from, granted: new Set(scopes) }, { name, address, ...browser });
    }
    const { secret, token } = tokens.create(freeName(name, tokens.list()), scopes);
    return { token: secret, id: token.id, name: token.name, scopes: token.scopes };
  };
}

const mostOfAName = 100;

/** The name, or the name with a number: a device that was paired before asks under the same name again. */
export function freeName(name: string, others: readonly { id: string; name: string }[]): string {
  for (let number = 1; number <= mostOfAName; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    try {
      checkTokenName(candidate, others);
      return candidate;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
    }
  }
  throw new ServiceError('conflict', `There are too many tokens named ${JSON.stringify(name)}; revoke some first`);
}
