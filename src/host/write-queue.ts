/**
 * Bytes on their way to a socket. Copies them, since the caller may reuse the memory, and combines the writes of one tick. `write` returns how
 * many bytes the system took; when it did not take all, `flush` is called once it takes more.
 */
export function createWriteQueue(write: (bytes: Uint8Array) => number) {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isFlushing = false;
  let isBlocked = false;

  const flush = () => {
    const [first] = waiting;
    if (first === undefined) return;
    const bytes = waiting.length === 1 ? first : Buffer.concat(waiting);
    const written = Math.max(0, write(bytes));
    waitingBytes = bytes.length - written;
    isBlocked = waitingBytes > 0;
    waiting = isBlocked ? [bytes.subarray(written)] : [];
  };

  return {
    add(bytes: Uint8Array): void {
      waiting.push(new Uint8Array(bytes));
      waitingBytes += bytes.length;
      if (isFlushing || isBlocked) return;
      isFlushing = true;
      queueMicrotask(() => {
        isFlushing = false;
        flush();
      });
    },
    flush,
    /** Bytes that the system has not taken yet. */
    waiting: () => waitingBytes,
    clear(): void {
      waiting = [];
      waitingBytes = 0;
    },
  };
}
