import type { Place } from '../../src/access/limits/admission-queue.ts';
import type { Publish, SocketPeer, Wire } from '../../src/core/route-table.ts';

/** A connection whose client reads only when the test says so. */
export interface FakeWire extends Wire {
  /** Texts that reached the client. */
  received: string[];
  topics: Set<string>;
  pings: number;
  closedWith: { code: number; reason: string } | 'terminated' | null;
  /** From now on nothing gets through. */
  stall(): void;
  /** Delivers everything that the runtime buffered. */
  unstall(): void;
}

export const herePeer: SocketPeer = {
  address: '127.0.0.1',
  port: 0,
  forwarded: false,
  isOurUser: async () => true,
  compresses: false,
  longestMessage: Number.POSITIVE_INFINITY,
};

/** A slot outside of any admission queue, of the network of `herePeer`. */
export const anyPlace: Place = { network: herePeer.address, onEvict: () => {}, leave: () => {} };

export function fakeWire(): FakeWire {
  let stalled = false;
  let kept: string[] = [];
  const wire: FakeWire = {
    received: [],
    topics: new Set(),
    pings: 0,
    closedWith: null,
    send(text) {
      if (stalled) kept.push(text);
      else wire.received.push(text);
    },
    getBufferedAmount: () => kept.reduce((sum, text) => sum + text.length, 0),
    subscribe: (topic) => void wire.topics.add(topic),
    unsubscribe: (topic) => void wire.topics.delete(topic),
    ping() {
      wire.pings++;
    },
    close(code, reason) {
      wire.closedWith = { code, reason };
    },
    terminate() {
      wire.closedWith = 'terminated';
    },
    stall() {
      stalled = true;
    },
    unstall() {
      stalled = false;
      wire.received.push(...kept);
      kept = [];
    },
  };
  return wire;
}

/** Publishes to the subscribed wires. */
export function publishTo(wires: readonly FakeWire[]): Publish {
  return (topic, text, compress) => {
    for (const wire of wires) if (wire.topics.has(topic)) wire.send(text, compress);
  };
}
