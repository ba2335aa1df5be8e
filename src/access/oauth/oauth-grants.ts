import type { Clock } from '../../lib/clock.ts';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import { createBuckets, takeOrRefuse } from '../../lib/token-buckets.ts';
import { budgets } from '../limits/budgets.ts';
import { freeName } from '../pairing/grants.ts';
import type { Scope } from '../scopes.ts';
import type { StoredToken } from '../tokens/token-file.ts';
import type { Tokens } from '../tokens/tokens.ts';

export interface IssuedGrant {
  id: string;
  name: string;
  scopes: readonly Scope[];
  access: string;
  refresh: string;
  /** Seconds. */
  expiresIn: number;
}

export const accessMs = 3_600_000;
/** A grant ends when it was not refreshed for this long. */
export const grantMs = 30 * 86_400_000;

/** Grants of OAuth: tokens of the kind oauth, whose secrets are replaced at each refresh. */
export function createOauthGrants(
  tokens: Pick<Tokens, 'change' | 'list' | 'hasGrant'>,
  { now, monotonic }: Pick<Clock, 'now' | 'monotonic'>,
) {
  const refreshing = createBuckets(budgets.caller.refreshes, monotonic);
  const living = (stored: readonly StoredToken[]) =>
    stored.filter(({ expires }) => expires === undefined || Date.parse(expires) > now());

  /** New secrets. Every refresh token of a grant begins with the same secret, which identifies used ones. */
  const issue = (token: Pick<StoredToken, 'id' | 'name' | 'scopes' | 'created'>, client: string, family: string) => {
    const access = newPart();
    const refresh = `${family}.${newPart()}`;
    const stored: StoredToken = {
      ...token,
      kind: 'oauth',
      sha256: hashOf(access),
      expires: new Date(now() + grantMs).toISOString(),
      oauth: {
        client,
        family: hashOf(family),
        refresh: hashOf(refresh),
        access_expires: new Date(now() + accessMs).toISOString(),
      },
    };
    const { id, name, scopes } = token;
    return { stored, issued: { id, name, scopes, access, refresh, expiresIn: accessMs / 1000 } };
  };

  return {
    /** In place of an earlier grant of the same client. */
    open({ name, scopes, identity }: { name: string; scopes: readonly Scope[]; identity: string }): IssuedGrant {
      const client = hashOf(identity);
      return tokens.change((all) => {
        const others = living(all).filter((token) => token.oauth?.client !== client);
        const replaced = new Set(all.filter((token) => !others.includes(token)).map(({ id }) => id));
        const names = tokens.list().filter(({ id }) => !replaced.has(id));
        const id = randomBytes(6).toString('hex');
        const created = new Date(now()).toISOString();
        const token = { id, name: freeName(name, [...names, ...others]), scopes: [...scopes], created };
        const { stored, issued } = issue(token, client, newPart());
        return { stored: [...others, stored], result: issued };
      });
    },
    /** null: not a refresh token of this client. A refresh token that was used before ends its grant. Throws rate_limited. */
    refresh(secret: string, identity: string): IssuedGrant | null {
      const [family = ''] = secret.split('.');
      // Clients without a token may send wrong ones: they do not take the lock of the file.
      if (!tokens.hasGrant(hashOf(family))) return null;
      // Each writes the file.
      takeOrRefuse(refreshing, hashOf(family), 'This grant is refreshed too often');
      return tokens.change((all) => {
        const found = living(all).find(
          ({ oauth }) => oauth?.family === hashOf(family) && oauth.client === hashOf(identity),
        );
        const others = all.filter((token) => token !== found);
        if (found === undefined) return { stored: all, result: null };
        if (found.oauth?.refresh !== hashOf(secret)) return { stored: others, result: null };
        const { stored, issued } = issue(found, hashOf(identity), family);
        return { stored: all.map((token) => (token === found ? stored : token)), result: issued };
      });
    },
    /** Ends the grant that this access or refresh token belongs to. */
    revoke: (secret: string, identity: string): boolean =>
      tokens.hasGrant(hashOf(secret)) &&
      tokens.change((all) => {
        const hash = hashOf(secret);
        const others = all.filter(
          ({ oauth, sha256 }) => oauth?.client !== hashOf(identity) || (sha256 !== hash && oauth.refresh !== hash),
        );
        const isFound = others.length < all.length;
        return { stored: isFound ? others : all, result: isFound };
      }),
    revokeId: (id: string): void =>
      tokens.change((all) => ({
        stored: all.filter((token) => token.id !== id || token.kind !== 'oauth'),
        result: undefined,
      })),
  };
}

const newPart = () => randomBytes(32).toString('base64url');
const hashOf = (secret: string) => sha256(secret).toString('hex');
