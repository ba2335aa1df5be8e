import type { TcpEnd } from './peer-user.ts';

/**
 * The connections of our own server as the system has them. The runtime tells of requests only: of somebody who connects and says
 * nothing, or half of something, it says nothing either, and where descriptors run out it spins.
 */
export interface Doorway {
  /** How many descriptors this process may have. */
  limit: number;
  /** How many it has, and the bytes of memory it uses: both cheap to ask. */
  descriptors(): number;
  memory(): number;
  /**
   * Lets as many wait to be accepted as the system allows. The runtime allows 512: where they come faster for a moment, the
   * system drops the rest, and they try again after one second, three, seven.
   */
  lengthenQueue(port: number): void;
  /** Calls back once, when the next connection comes to this port; costs nothing until then. Returns the way to stop. */
  onKnock(port: number, knocked: () => void): () => void;
  /** Everybody connected to this port. */
  connections(port: number): Arrival[];
  /** The addresses of ours that this end is connected to: one end can have several connections, each to another of them. */
  addressesCalledBy(peer: TcpEnd, port: number): string[];
  /** While several of our listeners share a port, whoever comes gets the newest one. */
  preferNewest(port: number): void;
  /** Ends a connection of the list just asked for, in the same turn: later its number may mean another. */
  shut(arrival: Arrival): void;
}

export interface Arrival {
  descriptor: number;
  /** Of the other end. */
  address: string;
  port: number;
  /** The port of ours it came to: from one end there may be a connection to each of them. */
  ours: number;
  /** Bytes that came from there. */
  received: number;
  /** Whether we ever sent anything. */
  answered: boolean;
  /** Milliseconds since anything went either way. */
  idleMs: number;
  /** Milliseconds since anything went there, while something waits to go; 0: nothing waits. */
  unreadMs: number;
}

/** null where the system has no such things to tell. */
export type OpenDoorway = () => Promise<Doorway | null>;
