/** Messages with the kernel about its network, in our network namespace. https://docs.kernel.org/userspace-api/netlink/intro.html */
export interface Netlink {
  /** Throws where the kernel, or a sandbox, refuses such sockets. */
  open(protocol: number): NetlinkSocket;
  /** Receives the messages of these routing groups; `closed` is called when the socket ends unexpectedly. Returns the function that unsubscribes. */
  follow(groups: number, received: EachMessage, closed: () => void): Promise<() => void>;
}

export interface NetlinkSocket {
  /**
   * Requests a table and passes on its entries: one step a piece, each answered at once. False: it changed meanwhile.
   * Throws the error of the kernel or of `each`; the socket is unusable then.
   */
  ask(type: number, body: Uint8Array, each: EachMessage): Generator<void, boolean>;
  /** Requests single entries and passes them on in order. Throws if one of them does not exist; then as above. */
  find(requests: readonly { message: number; body: Uint8Array }[], each: EachMessage): void;
  close(): void;
}

/** The payload of a message lies between `at` and `end`, and is valid during the call only. */
export type EachMessage = (bytes: DataView, at: number, end: number, type: number) => void;

/** An error number of the kernel. */
export class NetlinkError extends Error {
  readonly errno: number;

  constructor(errno: number) {
    super(`The kernel answered a netlink request with error ${errno}`);
    this.errno = errno;
  }
}
