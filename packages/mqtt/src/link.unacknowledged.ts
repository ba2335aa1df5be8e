/** What waits for an acknowledgement. More than the broker takes at a time wait for their turn. */
export interface Unacknowledged {
  /** `send` is called with its number when it is its turn; what it throws rejects. `size` is what it keeps in memory until then. */
  add(most: number, size: number, send: (packetId: number) => void): Promise<void>;
  /** `refused` says why, null: it was accepted. What nobody waits for is nothing. */
  settle(packetId: number, refused: string | null): void;
  fail(error: Error): void;
}

interface Waiting {
  size: number;
  send(packetId: number): void;
  resolve(): void;
  reject(error: Error): void;
}

/** Nothing here is worth keeping more of: states are published anew, and the rest is rare. */
const mostQueued = 1000;
/** Together. One message is taken in any case. */
const mostQueuedBytes = 4 * 1024 * 1024;

export function createUnacknowledged(): Unacknowledged {
  const sent = new Map<number, Waiting>();
  const queue: Waiting[] = [];
  let queuedBytes = 0;
  let last = 0;
  let room = 1;

  const nextId = (): number => {
    do last = (last % 0xffff) + 1;
    while (sent.has(last));
    return last;
  };

  const advance = () => {
    while (sent.size < room) {
      const waiting = queue.shift();
      if (waiting === undefined) return;
      queuedBytes -= waiting.size;
      const packetId = nextId();
      sent.set(packetId, waiting);
      try {
        waiting.send(packetId);
      } catch (error) {
        sent.delete(packetId);
        waiting.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };

  return {
    add(most, size, send) {
      room = most;
      if (queue.length >= mostQueued || (queue.length > 0 && queuedBytes + size > mostQueuedBytes))
        return Promise.reject(new Error('Too many messages wait for the broker'));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push({ size, send, resolve, reject });
      queuedBytes += size;
      advance();
      return promise;
    },
    settle(packetId, refused) {
      const waiting = sent.get(packetId);
      if (waiting === undefined) return;
      sent.delete(packetId);
      if (refused === null) waiting.resolve();
      else waiting.reject(new Error(`The broker refused a packet: ${refused}`));
      advance();
    },
    fail(error) {
      const all = [...sent.values(), ...queue.splice(0)];
      queuedBytes = 0;
      sent.clear();
      for (const waiting of all) waiting.reject(error);
    },
  };
}
