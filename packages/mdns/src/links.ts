export interface MdnsPeer {
  address: string;
  port: number;
}

/** The links this machine is on, and the time. */
export interface Links {
  /** Multicasts on all links. Never rejects. */
  send(bytes: Uint8Array): Promise<void>;
  reply(bytes: Uint8Array, to: MdnsPeer): Promise<void>;
  after(ms: number, callback: () => void): () => void;
  monotonic(): number;
  /** 0 to 1. */
  random(): number;
}
