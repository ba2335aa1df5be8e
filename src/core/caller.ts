import type { Scope } from '../access/scopes.ts';

/** Who asks: what a transport learned from a valid token and the connection it came over. */
export interface Caller {
  tokenName: string;
  tokenId: string;
  scopes: ReadonlySet<Scope>;
  address: string;
  /** On this machine itself, with no proxy between. */
  local: boolean;
}
