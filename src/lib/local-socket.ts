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

/** Rejects with the system's error when nobody listens there. */
export type ConnectLocal = (path: string, events: LocalSocketEvents) => Promise<LocalSocket>;

/** What is heard on a connection that carries descriptors as well. */
export interface CarrierEvents extends LocalSocketEvents {
  /** Before the bytes that speak of them; they are the listener's to close. */
  descriptors(list: number[]): void;
}

/** A connection that carries descriptors tells of them; any other kind fits as well, and tells of none. */
export type ConnectCarrier = (path: string, events: CarrierEvents) => Promise<LocalSocket>;
