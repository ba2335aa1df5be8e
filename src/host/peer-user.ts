/** One end of a TCP connection. */
export interface TcpEnd {
  address: string;
  port: number;
}

/**
 * Whether a process of the user this service runs as holds the other end of a TCP connection to this port of ours. False also where the
 * other end is elsewhere or was closed, where the system does not say, and where one of several that look alike from here is somebody else's.
 */
export type IsOurPeer = (peer: TcpEnd, port: number) => Promise<boolean>;
