export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Milliseconds that never go back and do not count for anything but differences. */
  monotonic(): number;
  /** CPU milliseconds this thread has used; other threads of the process, and waiting for a processor, do not count. */
  cpu(): number;
  /** Calls back after some milliseconds, with 0 as soon as others had their turn; returns the way to cancel. Errors of the callback are its own to catch. */
  after(ms: number, callback: () => void): () => void;
}
