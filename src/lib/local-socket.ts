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
