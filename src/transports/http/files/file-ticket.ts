import type { Caller } from '../../../core/caller.ts';
import { parse } from '../../../core/json/parse.ts';
import type { HttpRequest, Routes } from '../../../core/route-table.ts';
import { requireScope, type Service } from '../../../core/service.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { readJson } from '../body.ts';
import { jsonResponse } from '../respond.ts';

/** Creates an address of one file that is valid for 90 s and contains no token. */
export function ticketRoute({ files }: Service, authorize: (request: HttpRequest) => Caller): Routes {
  return {
    '/api/media/file/ticket': {
      async POST(request) {
        const caller = authorize(request);
        requireScope(caller, 'files');
        const { ticketInputSchema } = await import('../http.schema.ts');
        const { base, path, ticket } = parse(ticketInputSchema, await readJson(request.raw), 'ticket');
        if (ticket != null) return jsonResponse(files.renew(ticket, caller));
        if (base != null && path != null) return jsonResponse(files.ticket({ base, path }, caller));
        throw new ServiceError('invalid', 'ticket: base and path are needed, or a ticket to renew');
      },
    },
  };
}
