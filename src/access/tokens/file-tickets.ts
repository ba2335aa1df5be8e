import type { Clock } from '../../lib/clock.ts';
import { createShortTokens } from './short-tokens.ts';

/** One file, as it is asked for. */
export interface FilePlace {
  base: string;
  path: string;
}

export interface FileTicket extends FilePlace {
  /** Of whoever asked for it: it ends with that token or session. */
  tokenId: string;
  /** It is good from there alone. */
  address: string;
}

/**
 * Stands in the address of one file instead of a token: players and pictures send no headers, and addresses are kept in histories and
 * logs. It lives for a minute, and longer while whoever got it says so again and again.
 */
export interface FileTickets {
  lifeSeconds: number;
  issue(ticket: FileTicket): string;
  renew(secret: string): boolean;
  find(secret: string): FileTicket | null;
}

/** Browsers call timers of hidden pages once a minute only. */
const lifeMs = 90_000;

export function createFileTickets(clock: Pick<Clock, 'monotonic'>): FileTickets {
  const issued = createShortTokens<FileTicket>(clock, { perOwner: 32, inAll: 1024 });
  return {
    lifeSeconds: lifeMs / 1000,
    issue: (ticket) => issued.issue(ticket, ticket.tokenId, lifeMs),
    renew: (secret) => issued.extend(secret, lifeMs),
    find: issued.find,
  };
}
