/** Messages with the kernel about its network, in our network namespace. https://docs.kernel.org/userspace-api/netlink/intro.html */
export interface Netlink {
  /** Throws where the kernel, or a sandbox, refuses such sockets. */
  open(protocol: number): NetlinkSocket;
  /** Hears what is announced to these groups of the routing protocol; `closed` when that ended by itself. Returns the way to stop. */
  follow(groups: number, heard: EachMessage, closed: () => void): Promise<() => void>;
}

export interface NetlinkSocket {
  /**
   * Asks for a table, and hands out its entries: one step a piece, each answered at once. False: it changed meanwhile.
   * Throws what the kernel, or `each`, has against it; this socket is of no use then.
   */
  ask(type: number, body: Uint8Array, each: EachMessage): Generator<void, boolean>;
  /** Asks for single entries, and hands each out in the same order. Throws if one of them is not there; then as above. */
  find(questions: readonly { message: number; body: Uint8Array }[], each: EachMessage): void;
  close(): void;
}

/** What a message carries lies between `at` and `end`, and only now. */
export type EachMessage = (bytes: DataView, at: number, end: number, type: number) => void;

/** Refused by the kernel, which has a number for it. */
export class NetlinkError extends Error {
  readonly errno: number;

  constructor(errno: number) {
    super(`The kernel answered a netlink question with error ${errno}`);
    this.errno = errno;
  }
}
