export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Monotonic milliseconds; only differences are meaningful. */
  monotonic(): number;
  /** CPU milliseconds this thread has used; other threads of the process, and waiting for a processor, do not count. */
  cpu(): number;
  /** Calls back after some milliseconds, with 0 after the pending tasks; returns the function that cancels. The callback must catch its errors. */
  after(ms: number, callback: () => void): () => void;
}
