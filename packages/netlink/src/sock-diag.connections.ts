import { aboutOne, identityBytes, type SocketQuery, TCP_LISTEN } from './sock-diag.requests.ts';

/** The TCP connections of the last full dump, to be requested one by one where that costs less. */
export interface TcpConnections {
  clear(): void;
  /** From a message (struct inet_diag_msg). */
  add(bytes: DataView, at: number): void;
  /** The dump is over, and took this many milliseconds. `isWhole`: whether the kernel counts as many. */
  complete(walkMs: number, isWhole: () => boolean): void;
  size(): number;
  /** In groups whose replies fit the buffer of a socket. null: a full dump is cheaper. */
  queries(): SocketQuery[][] | null;
}

const atOnce = 64;
const most = 256;
/** Cost of one lookup, and of counting all and listing listeners. */
const findMs = 0.004;
const countMs = 0.2;

export function createTcpConnections(): TcpConnections {
  const identities = new Uint8Array(most * identityBytes);
  let count = 0;
  let queries: SocketQuery[][] | null = null;
  return {
    clear() {
      count = 0;
      queries = null;
    },
    add(bytes, at) {
      if (bytes.getUint8(at + 1) === TCP_LISTEN) return;
      if (count < most) {
        identities.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, identityBytes), count * identityBytes);
      }
      count += 1;
    },
    complete(walkMs, isWhole) {
      if (count > most || walkMs < countMs + count * findMs || !isWhole()) return;
      queries = [];
      for (let from = 0; from < count; from += atOnce) {
        const group: SocketQuery[] = [];
        for (let index = from; index < Math.min(count, from + atOnce); index++) {
          group.push(aboutOne(identities.subarray(index * identityBytes)));
        }
        queries.push(group);
      }
    },
    size: () => count,
    queries: () => queries,
  };
}
