/** A connection to another machine, over which bytes go both ways. */
export interface ByteStream {
  send(bytes: Uint8Array): void;
  /** Bytes that the system has not taken yet. */
  waiting(): number;
  close(): void;
}

export interface ByteStreamEvents {
  data(bytes: Uint8Array): void;
  /** Once, whoever closed it; the error if there was one. Not after our own close(). */
  closed(error: Error | null): void;
}

export interface StreamTarget {
  host: string;
  port: number;
  /** null: not encrypted. */
  tls: StreamTls | null;
  /** Bytes travel in WebSocket messages; null: they do not. */
  webSocket: { path: string; protocol: string } | null;
}

/** The certificate of the other end is checked, always. */
export interface StreamTls {
  /** The name its certificate must have. */
  serverName: string;
  /** Authorities to trust, PEM; null: those of the runtime. */
  ca: string | null;
  /** Who we are, PEM; null: we do not say. */
  certificate: { chain: string; key: string } | null;
}

/** Resolves when bytes can be sent, with TLS when the other end has proved who it is. Rejects after the limit. */
export type OpenStream = (target: StreamTarget, events: ByteStreamEvents, limitMs: number) => Promise<ByteStream>;
