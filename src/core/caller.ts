import type { Scope } from '../access/scopes.ts';

/** Where a request came from, as far as its transport knows. Most requests never ask. */
export interface Connection {
  readonly address: string;
  /** A header says that a proxy passed it on. */
  readonly forwarded: boolean;
}

/** Who asks: what a transport learned from a valid token and the connection it came over. */
export interface Caller {
  tokenName: string;
  tokenId: string;
  scopes: ReadonlySet<Scope>;
  connection: Connection;
  /** On this machine itself, with no proxy between. */
  readonly local: boolean;
}
