export interface TcpEnd {
  address: string;
  port: number;
}

/**
 * Whether a process of the user this service runs as holds the other end of a TCP connection to this port of ours. False also where the
 * other end is remote or closed, where the system does not report it, and where one of several indistinguishable connections belongs to another user.
 * A local address is not enough: a forwarder on this machine has one, too. Root does not count, because the forwarders of a system run as root.
 * `batched`: for clients without a token. All that ask within a tenth of a second are answered together.
 */
export type IsOurPeer = (peer: TcpEnd, port: number, how?: 'batched') => Promise<boolean>;
