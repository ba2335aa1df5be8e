import type { Caller } from './caller.ts';
import type { EntityEvent } from './readings/entities.ts';

export interface ConnectedClient {
  caller: Caller;
  /** The name it reports, if any; not trusted. */
  software: string | null;
  through: string;
  /** Unix milliseconds. */
  since: number;
}

/** `event`: the same for clients that listen to entities. */
export type Deliver = (tokenId: string, message: { type: string; data: unknown }, event: EntityEvent | null) => boolean;

/** A longer list is not useful to a reader. */
export const mostClients = 200;

export type Clients = ReturnType<typeof createClients>;

/** All clients connected now. Nothing is stored here: the transports supply their lists on request. */
export function createClients() {
  const lists = new Set<(most: number) => ConnectedClient[]>();
  const deliveries = new Set<Deliver>();
  return {
    /** `most`: the maximum number of entries. Returns the function that removes the list. */
    add(list: (most: number) => ConnectedClient[], deliver?: Deliver): () => void {
      lists.add(list);
      if (deliver !== undefined) deliveries.add(deliver);
      return () => {
        lists.delete(list);
        if (deliver !== undefined) deliveries.delete(deliver);
      };
    },
    /** Sends a message to the connected clients of a token; false: there are none. */
    deliver: (...message: Parameters<Deliver>): boolean =>
      [...deliveries].map((deliver) => deliver(...message)).includes(true),
    list: () =>
      [...lists]
        .flatMap((list) => list(mostClients))
        .sort((a, b) => b.since - a.since)
        .slice(0, mostClients),
  };
}
