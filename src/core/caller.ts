import type { Scope } from '../access/scopes.ts';

/** Where a request came from, as far as its transport knows. */
export interface Connection {
  address: string;
  /** A header says that a proxy passed it on. */
  forwarded: boolean;
  /** It came over TLS; left out: it did not. */
  isEncrypted?: boolean;
  /** Whether a process of the user this service runs as is at the other end. Costs a question to the kernel; unknown means no. */
  isOurUser(): Promise<boolean>;
}

/** The other end of a TCP connection. */
export interface PeerEnd {
  address: string;
  port: number;
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

/** The command line of this machine, which needs no token; no token has this id. */
export const commandLineId = 'command-line';
/** Whoever can publish at the MQTT broker; what they may is said in the settings. */
export const brokerId = 'mqtt-broker';

/** Callers that are known by where they come from: no token of theirs can be revoked. */
export const tokenlessIds: ReadonlySet<string> = new Set([commandLineId, brokerId]);

/** On this machine itself: over loopback, from a process of the user whose service this is, and with no proxy that says it is one. */
export async function isLocal(caller: Pick<Caller, 'connection'>): Promise<boolean> {
  return isLoopback(caller.connection().address) && (await isSameUser(caller));
}

/** The same, also by another address of this machine: all there is where the service listens on one of those only. */
export async function isSameUser({ connection }: Pick<Caller, 'connection'>): Promise<boolean> {
  const { forwarded, isOurUser } = connection();
  return !forwarded && (await isOurUser());
}

/** For people: a connection that has ended is at no address any more. */
export const shownAddress = (address: string): string => (address === '' ? 'a connection that has ended' : address);

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
