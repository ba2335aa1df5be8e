import type { Caller } from './caller.ts';

/** A connected client, as its transport knows it. */
export interface ConnectedClient {
  caller: Caller;
  /** The name it reports, if any; not trusted. */
  software: string | null;
  /** The transport, in one word: websocket, mcp. */
  through: string;
  /** Unix milliseconds. */
  since: number;
}

/** All clients connected now. Nothing is stored here: the transports supply their lists on request. */
export interface Clients {
  /** `most`: the maximum number of entries. Returns the function that removes the list. */
  add(list: (most: number) => ConnectedClient[]): () => void;
  list(): ConnectedClient[];
}

/** A longer list is not useful to a reader. */
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
