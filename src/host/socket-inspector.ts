/** The descriptors and connections of this process. The runtime reports requests only: it has no hook for accepted connections. */
export interface SocketInspector {
  limit: number;
  /** How many it has. Nothing here needs a free descriptor. */
  descriptors(): number;
  /** Resident memory, in bytes; 0: unknown, because there is no free descriptor. */
  memory(): number;
  /** Raises the accept queue from the runtime's 512 to the maximum of the system. When it overflows, clients retry after 1, 3 and 7 s. */
  raiseBacklog(port: number): void;
  /** Calls back once, when the next connection to one of these ports arrives. Costs nothing until then. Returns how to stop. */
  onNextConnection(ports: readonly number[], arrived: () => void): () => void;
  connections(port: number): OpenConnection[];
  /** The users at the other ends of connections from this machine to this port, by `address port`; those that are unknown are left out. */
  localPeers(port: number): ReadonlyMap<string, LocalPeer>;
  /** Ends a connection. Call it in the turn that listed the connection: later the descriptor may belong to another. */
  shut(connection: OpenConnection): void;
}

export interface LocalPeer {
  user: number;
  /** It is the user this service runs as. */
  isOurs: boolean;
}

export interface OpenConnection {
  descriptor: number;
  /** Of the peer. */
  address: string;
  port: number;
  localPort: number;
  received: number;
  /** Whether anything was ever sent to the peer. */
  answered: boolean;
  /** Milliseconds since data went in either direction. */
  idleMs: number;
  /** Milliseconds since data was sent while more waits to be sent; 0: nothing waits. */
  unreadMs: number;
}

/** Counts what this process has open, and loads the inspector when it is needed. */
export interface OwnSockets {
  /** One system call; a directory is read before Linux 6.2. null: no descriptor is free. */
  countDescriptors(): number | null;
  /** How many of them are sockets. Reads a link for each, about 10 µs. null: no descriptor is free. */
  countSockets(): number | null;
  /** Binds native functions. */
  inspect(): Promise<SocketInspector>;
}
