interface Waiting {
  size: number;
  send(packetId: number): void;
  resolve(): void;
  reject(error: Error): void;
}

/** Maximum length of the queue: states are published again, and other messages are rare. */
const mostQueued = 1000;
/** Total size. One message is always accepted. */
const mostQueuedBytes = 4 * 1024 * 1024;

export type Unacknowledged = ReturnType<typeof createUnacknowledged>;

/** Messages without an acknowledgement. Those above the receive maximum are queued. */
export function createUnacknowledged() {
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
    /** `send` is called with the packet identifier when a slot is free; what it throws rejects. `size`: memory held until then. */
    add(most: number, size: number, send: (packetId: number) => void): Promise<void> {
      room = most;
      if (queue.length >= mostQueued || (queue.length > 0 && queuedBytes + size > mostQueuedBytes))
        return Promise.reject(new Error('Too many messages are not yet acknowledged by the broker'));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push({ size, send, resolve, reject });
      queuedBytes += size;
      advance();
      return promise;
    },
    /** `refused`: the reason; null: accepted. Unknown identifiers are ignored. */
    settle(packetId: number, refused: string | null) {
      const waiting = sent.get(packetId);
      if (waiting === undefined) return;
      sent.delete(packetId);
      if (refused === null) waiting.resolve();
      else waiting.reject(new Error(`The broker refused a packet: ${refused}`));
      advance();
    },
    fail(error: Error) {
      const all = [...sent.values(), ...queue.splice(0)];
      queuedBytes = 0;
      sent.clear();
      for (const waiting of all) waiting.reject(error);
    },
  };
}
