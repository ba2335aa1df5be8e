import type { Clock } from '../../lib/clock.ts';
import { createShortTokens } from './short-tokens.ts';

export interface FilePlace {
  base: string;
  path: string;
}

export interface FileTicket extends FilePlace {
  /** Of the client that requested it: the ticket ends with that token or session. */
  tokenId: string;
  /** Valid from this address only. */
  address: string;
}

/** More than a minute, because browsers run timers of hidden pages once a minute only. */
const lifeMs = 90_000;

export type FileTickets = ReturnType<typeof createFileTickets>;

/**
 * Replaces a token in the address of one file: players and images send no headers, and addresses end up in histories and logs. It is valid
 * for a minute and can be renewed.
 */
export function createFileTickets(clock: Pick<Clock, 'monotonic'>) {
  const issued = createShortTokens<FileTicket>(clock, { perOwner: 32, inAll: 1024 });
  return {
    lifeSeconds: lifeMs / 1000,
    /** `owner`: the token behind the client, which may have many sessions. */
    issue: (ticket: FileTicket, owner: string) => issued.issue(ticket, owner, lifeMs),
    renew: (secret: string) => issued.extend(secret, lifeMs),
    find: issued.find,
  };
}
