import type { Scope } from '../access/scopes.ts';
import type { FilePlace, FileTickets } from '../access/tokens/file-tickets.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Caller } from './caller.ts';
import { requireScope } from './require-scope.ts';

/** Issues addresses of single files. */
export interface FileService {
  ticket(place: FilePlace, caller: Caller): { ticket: string; expires_in: number };
  renew(ticket: string, caller: Caller): { ticket: string; expires_in: number };
  /** The file of a ticket, and its token or session; throws unauthorized. */
  open(ticket: string, connection: Caller['connection']): FilePlace & { tokenId: string };
  /** Whether this token or session still grants files. */
  admits(tokenId: string): boolean;
}

/** The scope that a token must have for as long as its ticket is valid. */
const needed: ReadonlySet<Scope> = new Set(['files']);

export function createFileService(
  tickets: FileTickets,
  admits: (caller: Pick<Caller, 'tokenId' | 'scopes'>) => boolean,
): FileService {
  const ticketResponse = (ticket: string) => ({ ticket, expires_in: tickets.lifeSeconds });
  const admitsFiles = (tokenId: string) => admits({ tokenId, scopes: needed });
  return {
    admits: admitsFiles,
    ticket(place, caller) {
      requireScope(caller, 'files');
      const { address } = caller.connection();
      return ticketResponse(tickets.issue({ ...place, tokenId: caller.tokenId, address }));
    },
    renew(ticket, caller) {
      requireScope(caller, 'files');
      if (tickets.find(ticket)?.tokenId !== caller.tokenId || !tickets.renew(ticket))
        throw new ServiceError('not_found', 'This ticket has expired; request a new one');
      return ticketResponse(ticket);
    },
    open(secret, connection) {
      const ticket = tickets.find(secret);
      if (ticket === null || ticket.address !== connection().address || !admitsFiles(ticket.tokenId))
        throw new ServiceError('unauthorized', 'This file address has expired; open the file again');
      return { base: ticket.base, path: ticket.path, tokenId: ticket.tokenId };
    },
  };
}
