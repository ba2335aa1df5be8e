import type { Scope } from '../access/scopes.ts';

/** Where a request came from, as far as its transport knows. */
export interface Connection {
  address: string;
  /** A header says that a proxy passed it on. */
  forwarded: boolean;
}

/** Who asks: what a transport learned from a valid token and the connection it came over. */
export interface Caller {
  tokenName: string;
  tokenId: string;
  scopes: ReadonlySet<Scope>;
  /** An agent acts: what it puts on the screen says so. */
  isAgent?: boolean;
  /** Found out when it is asked for; most requests never do. */
  connection(): Connection;
}

/** On this machine itself, with no proxy between. */
export function isLocal({ connection }: Pick<Caller, 'connection'>): boolean {
  const { address, forwarded } = connection();
  return !forwarded && isLoopback(address);
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
