import type { Scope } from '../access/scopes.ts';

/** The origin of a request, as far as its transport knows it. */
export interface Connection {
  address: string;
  /** A header shows that a proxy forwarded it. */
  forwarded: boolean;
  /** Address of the client that a trusted proxy names; null: it names none. Omitted: the peer is no trusted proxy. */
  client?: string | null;
  /** It came over TLS, to this service or to a trusted proxy; omitted: it did not. */
  isEncrypted?: boolean;
  /** The name by which this machine was addressed; omitted: localhost or an address. */
  name?: string;
  /** Whether the peer is a process of the user this service runs as. Takes a system call; false if unknown. `batched`: see IsOurPeer. */
  isOurUser(how?: 'batched'): Promise<boolean>;
}

export interface PeerEnd {
  address: string;
  port: number;
}

/** The caller: what a transport learned from a valid token and its connection. */
export interface Caller {
  tokenName: string;
  tokenId: string;
  /** The token that a browser signed in with: the sessions of one token share its limits. Omitted: its own. */
  shareId?: string;
  scopes: ReadonlySet<Scope>;
  /** Unix milliseconds: when the access token of OAuth expires, and streams have to be opened anew. Omitted: it does not expire. */
  expiresAt?: number;
  /** Its token is in the list of this machine's user, who can add scopes to it. */
  isExtensible?: boolean;
  /** The caller is an agent: what it shows on the screen says so. */
  isAgent?: boolean;
  /** The caller is a browser that signed in, as opposed to a program with a token. */
  isBrowser?: boolean;
  /** Computed at first use; most requests do not use it. */
  connection(): Connection;
}

/** The command line of this machine, which needs no token; no token has this id. */
export const commandLineId = 'command-line';
/** Ids of tokens that the administrator gave to the machine. */
export const machineIdPrefix = 'machine-';
/** Clients that can publish at the MQTT broker; the settings say what they may do. */
export const brokerId = 'mqtt-broker';

/** Whose limits apply. A token opens many browser sessions, and would otherwise have the share of as many tokens. */
export const shareIdOf = ({ tokenId, shareId }: Pick<Caller, 'tokenId' | 'shareId'>): string => shareId ?? tokenId;

/** On this machine: over loopback, from a process of the user this service runs as, without a proxy header. */
export async function isLocal(caller: Pick<Caller, 'connection'>): Promise<boolean> {
  return isLoopback(caller.connection().address) && (await isSameUser(caller));
}

/** The same, also over another address of this machine: the only way where the service listens on one of those alone. */
export async function isSameUser({ connection }: Pick<Caller, 'connection'>): Promise<boolean> {
  const { forwarded, isOurUser } = connection();
  return !forwarded && (await isOurUser());
}

/** For people: a closed connection has no address any more. */
export const shownAddress = (address: string): string => (address === '' ? 'a connection that has ended' : address);

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
