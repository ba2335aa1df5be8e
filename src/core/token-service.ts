import type { Scope } from '../access/scopes.ts';
import type { TokenInfo } from '../access/tokens/token-file.ts';
import type { TokenUse, TokenUses } from '../access/tokens/token-uses.ts';
import type { Tokens } from '../access/tokens/tokens.ts';
import type { Log } from '../lib/log.ts';
import type { Gate } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { requireAdminHere, requireScope } from './require-scope.ts';

/** Where tokens are made and revoked, by callers on this machine. Creating takes no more scopes than the caller has. */
export interface TokenDesk {
  list(caller: Caller): Promise<UsedToken[]>;
  create(name: string, scopes: Scope[], caller: Caller): Promise<{ secret: string; token: TokenInfo }>;
  revoke(idOrName: string, caller: Caller): Promise<TokenInfo>;
}

/** A token, and when it was used last: ISO time, and where from; null: not since this is noted. */
export interface UsedToken extends TokenInfo {
  last_used: string | null;
  last_address: string | null;
}

interface TokenDeskParts extends Pick<Gate, 'requireAdmitted'> {
  tokens: Tokens;
  uses: TokenUses;
  log: Log;
}

export function createTokenDesk({ tokens, uses, log, requireAdmitted }: TokenDeskParts): TokenDesk {
  return {
    async list(caller) {
      await requireAdminHere(caller);
      return tokens.list().map((token) => ({ ...token, ...lastUse(uses.of(token.id)) }));
    },
    async create(name, scopes, caller) {
      await requireAdminHere(caller);
      requireAdmitted(caller);
      for (const scope of scopes) requireScope(caller, scope);
      const created = tokens.create(name, [...new Set(scopes)]);
      log.info(`access: ${caller.tokenName} created the token ${name} with ${scopes.join(', ')}`);
      return created;
    },
    async revoke(idOrName, caller) {
      await requireAdminHere(caller);
      requireAdmitted(caller);
      const token = tokens.revoke(idOrName);
      log.info(`access: ${caller.tokenName} revoked the token ${token.name}`);
      return token;
    },
  };
}

const lastUse = (use: TokenUse | null) => ({
  last_used: use === null ? null : new Date(use.at).toISOString(),
  last_address: use?.address || null,
});
