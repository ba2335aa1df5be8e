/** A bidirectional byte stream to another machine. */
export interface ByteStream {
  send(bytes: Uint8Array): void;
  /** Bytes that the system has not taken yet. */
  waiting(): number;
  /** Stops reading: received bytes stay in the system, apart from what was read already. */
  pause(): void;
  resume(): void;
  /** Continues with TLS, as the client; resolves after verification of the peer. Left out: not possible. */
  startTls?(tls: StreamTls, limitMs: number): Promise<void>;
  close(): void;
}

export interface ByteStreamEvents {
  data(bytes: Uint8Array): void;
  /** Once, whichever side closed it; the error if there was one. Not after our own close(). */
  closed(error: Error | null): void;
}

export interface StreamTarget {
  host: string;
  port: number;
  /** null: not encrypted. */
  tls: StreamTls | null;
  /** Bytes travel in WebSocket messages; null: they do not. */
  webSocket: { path: string; protocol: string } | null;
  /** Whether the stream must have `startTls`. */
  mayStartTls?: boolean;
}

/** The certificate of the peer is always verified. */
export interface StreamTls {
  /** The name its certificate must have. */
  serverName: string;
  /** Authorities to trust, PEM; null: those of the runtime. */
  ca: string | null;
  /** Our own certificate and key, PEM; null: none. */
  certificate: { chain: string; key: string } | null;
}

/** Resolves when bytes can be sent, with TLS after verification of the peer. Rejects after the limit. */
export type OpenStream = (target: StreamTarget, events: ByteStreamEvents, limitMs: number) => Promise<ByteStream>;
