/** A connection to a server on this machine: a Unix socket or, on Windows, a named pipe. */
export interface LocalSocket {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface LocalSocketEvents {
  data(bytes: Uint8Array): void;
  /** Once, whichever side closed it; the error if there was one. */
  closed(error: Error | null): void;
}

/**
 * The users whose process may listen at a Unix socket. Our own user is always one of them; `system-bus` and `sound` add root and the
 * account under which distributions run that server for the whole machine.
 */
export type Peer = 'self' | 'self-or-root' | 'system-bus' | 'sound';

/**
 * Rejects with the system's error when there is no listener, and with a PeerRefusal, before any data is exchanged, when the process of
 * another user listens there.
 */
export type ConnectLocal = (path: string, events: LocalSocketEvents, peer: Peer) => Promise<LocalSocket>;

/** Events of a connection that carries descriptors as well. */
export interface CarrierEvents extends LocalSocketEvents {
  /** Before the bytes that refer to them; the listener closes them. */
  descriptors(list: number[]): void;
}

/** A connection that reports received descriptors; any other kind fits as well, and reports none. */
export type ConnectCarrier = (path: string, events: CarrierEvents, peer: Peer) => Promise<LocalSocket>;

/** The server belongs to a user who is not expected there. The message is a clause that names the socket, its owner and the expected owner. */
export class PeerRefusal extends Error {
  override readonly name = 'PeerRefusal';
}

/** Throws a PeerRefusal unless an expected user listens at the other end of this connected socket. */
export type VerifyPeer = (descriptor: number, path: string, peer: Peer) => void;

/** The PeerRefusal that caused an error, if any. */
export function peerRefusalIn(error: unknown): PeerRefusal | null {
  if (error instanceof PeerRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? peerRefusalIn(error.cause) : null;
}
