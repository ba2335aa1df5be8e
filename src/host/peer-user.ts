/** One end of a TCP connection. */
export interface TcpEnd {
  address: string;
  port: number;
}

/**
 * Whether a process of the user this service runs as holds the other end of a TCP connection to us. `own` is what we listen on; an empty address
 * means all of them. False also where the other end is elsewhere or was closed, and where the system does not say.
 */
export type IsOurPeer = (peer: TcpEnd, own: TcpEnd) => Promise<boolean>;
