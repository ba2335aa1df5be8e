import type { Scope } from '../access/scopes.ts';
import type { TokenInfo } from '../access/tokens/token-file.ts';
import type { TokenUse, TokenUses } from '../access/tokens/token-uses.ts';
import type { Tokens } from '../access/tokens/tokens.ts';
import type { Log } from '../lib/log.ts';
import type { Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { requireAdminHere, requireScope } from './require-scope.ts';

/** A token, and its last use: ISO time and address; null: not used since uses are recorded. */
export interface UsedToken extends TokenInfo {
  last_used: string | null;
  last_address: string | null;
}

interface TokenServiceParts extends Pick<Authenticator, 'requireAdmitted'> {
  tokens: Tokens;
  uses: TokenUses;
  log: Log;
}

export type TokenService = ReturnType<typeof createTokenService>;

/** Creates and revokes tokens for callers on this machine. A new token has no scope that the caller lacks. */
export function createTokenService({ tokens, uses, log, requireAdmitted }: TokenServiceParts) {
  return {
    async list(caller: Caller): Promise<UsedToken[]> {
      await requireAdminHere(caller);
      return tokens.list().map((token) => ({ ...token, ...lastUse(uses.of(token.id)) }));
    },
    async create(name: string, scopes: Scope[], caller: Caller) {
      await requireAdminHere(caller);
      requireAdmitted(caller);
      for (const scope of scopes) requireScope(caller, scope);
      const created = tokens.create(name, [...new Set(scopes)]);
      log.info(`access: ${caller.tokenName} created the token ${name} with ${scopes.join(', ')}`);
      return created;
    },
    async revoke(idOrName: string, caller: Caller): Promise<TokenInfo> {
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
