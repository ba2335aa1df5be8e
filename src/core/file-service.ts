import type { Scope } from '../access/scopes.ts';
import type { FilePlace, FileTickets } from '../access/tokens/file-tickets.ts';
import { ServiceError } from '../lib/errors.ts';
import { type Caller, shareIdOf } from './caller.ts';
import { requireScope } from './require-scope.ts';

/** The scope that a token must have for as long as its ticket is valid. */
const needed: ReadonlySet<Scope> = new Set(['files']);

export type FileService = ReturnType<typeof createFileService>;

/** Issues addresses of single files. */
export function createFileService(
  tickets: FileTickets,
  admits: (caller: Pick<Caller, 'tokenId' | 'scopes'>) => boolean,
) {
  const ticketResponse = (ticket: string) => ({ ticket, expires_in: tickets.lifeSeconds });
  const admitsFiles = (tokenId: string) => admits({ tokenId, scopes: needed });
  return {
    /** Whether this token or session still grants files. */
    admits: admitsFiles,
    ticket(place: FilePlace, caller: Caller) {
      requireScope(caller, 'files');
      const { address } = caller.connection();
      return ticketResponse(tickets.issue({ ...place, tokenId: caller.tokenId, address }, shareIdOf(caller)));
    },
    renew(ticket: string, caller: Caller) {
      requireScope(caller, 'files');
      if (tickets.find(ticket)?.tokenId !== caller.tokenId || !tickets.renew(ticket))
        throw new ServiceError('not_found', 'This ticket has expired; request a new one');
      return ticketResponse(ticket);
    },
    /** The file of a ticket, and its token or session; throws unauthorized. */
    open(secret: string, connection: Caller['connection']) {
      const ticket = tickets.find(secret);
      if (ticket === null || ticket.address !== connection().address || !admitsFiles(ticket.tokenId))
        throw new ServiceError('unauthorized', 'This file address has expired; open the file again');
      return { base: ticket.base, path: ticket.path, tokenId: ticket.tokenId };
    },
  };
}
