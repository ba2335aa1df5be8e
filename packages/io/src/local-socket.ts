/** A connection to a server on this machine: a Unix socket or, on Windows, a named pipe. */
export interface LocalSocket {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface LocalSocketEvents {
  data(bytes: Uint8Array): void;
  /** Once, whoever closed it; the error if there was one. */
  closed(error: Error | null): void;
}

/**
 * The users whose process may listen at a Unix socket. Our own user is always one of them; `system-bus` and `sound` add root and the
 * account under which distributions run that server for the whole machine.
 */
export type Peer = 'self' | 'self-or-root' | 'system-bus' | 'sound';

/**
 * Rejects with the system's error when nobody listens there, and with a PeerRefusal, before a byte is sent or heard, when the process of
 * another user listens there.
 */
export type ConnectLocal = (path: string, events: LocalSocketEvents, peer: Peer) => Promise<LocalSocket>;

/** What is heard on a connection that carries descriptors as well. */
export interface CarrierEvents extends LocalSocketEvents {
  /** Before the bytes that speak of them; they are the listener's to close. */
  descriptors(list: number[]): void;
}

/** A connection that carries descriptors tells of them; any other kind fits as well, and tells of none. */
export type ConnectCarrier = (path: string, events: CarrierEvents, peer: Peer) => Promise<LocalSocket>;

/** The server belongs to a user who is not expected there. The message is a clause that names the socket, its owner and the expected owner. */
export class PeerRefusal extends Error {
  override readonly name = 'PeerRefusal';
}

/** Throws a PeerRefusal unless an expected user listens at the other end of this connected socket. */
export type VerifyPeer = (descriptor: number, path: string, peer: Peer) => void;

/** The PeerRefusal that is behind an error, if one is. */
export function peerRefusalIn(error: unknown): PeerRefusal | null {
  if (error instanceof PeerRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? peerRefusalIn(error.cause) : null;
}
