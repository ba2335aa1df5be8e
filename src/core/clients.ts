import type { Caller } from './caller.ts';

/** Somebody who holds a connection, as the transport knows it. */
export interface ConnectedClient {
  caller: Caller;
  /** What it calls itself, if it does; not to be trusted. */
  software: string | null;
  /** Through what it came, in a word: websocket, mcp. */
  through: string;
  /** Unix milliseconds. */
  since: number;
}

/** Everybody who is connected now. Nothing is kept for them here: transports are asked when somebody wants to know. */
export interface Clients {
  /** `most`: no more than these are wanted. Returns the way to take the list away. */
  add(list: (most: number) => ConnectedClient[]): () => void;
  list(): ConnectedClient[];
}

/** Nobody reads a longer list. */
export const mostClients = 200;

export function createClients(): Clients {
  const lists = new Set<(most: number) => ConnectedClient[]>();
  return {
    add(list) {
      lists.add(list);
      return () => void lists.delete(list);
    },
    list: () =>
      [...lists]
        .flatMap((list) => list(mostClients))
        .sort((a, b) => b.since - a.since)
        .slice(0, mostClients),
  };
}
