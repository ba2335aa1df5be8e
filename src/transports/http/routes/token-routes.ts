import type { Caller } from '../../../core/caller.ts';
import type { ConnectedClient } from '../../../core/clients.ts';
import { parse } from '../../../core/json/parse.ts';
import { selecting } from '../../../core/json/selection.ts';
import type { HttpRequest, Routes } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import { once } from '../../../lib/lazily.ts';
import { readJson } from '../body.ts';
import { selectedList } from '../query.ts';
import { jsonResponse } from '../respond.ts';

/** Lists, creates and revokes tokens; a secret is shown once, in the response that created it. */
export function tokenRoutes(
  { tokens, clients, scopes: known }: Service,
  authorize: (request: HttpRequest, query?: readonly string[]) => Caller,
): Routes {
  const schemas = once(async () => (await import('../access.schema.ts')).createAccessSchemas(known));
  return {
    '/api/tokens': {
      async GET(request) {
        const list = await tokens.list(authorize(request, selecting));
        return await selectedList(request, list, async () => (await schemas()).usedTokenSchema, 'A token');
      },
      async POST(request) {
        const caller = authorize(request);
        const { newTokenSchema } = await schemas();
        const { name, scopes } = parse(newTokenSchema, await readJson(request.raw), 'token');
        const { secret, token } = await tokens.create(name, scopes, caller);
        return jsonResponse({ ...token, token: secret }, 201);
      },
      async DELETE(request) {
        const caller = authorize(request);
        const { revokeTokenSchema } = await import('../http.schema.ts');
        const { id } = parse(revokeTokenSchema, await readJson(request.raw), 'token');
        return jsonResponse(await tokens.revoke(id, caller));
      },
    },
    '/api/clients': {
      async GET(request) {
        const list = (await clients.list(authorize(request, selecting))).map(toShow);
        return await selectedList(request, list, async () => (await schemas()).connectedClientSchema, 'A client');
      },
    },
  };
}

/** See connectedClientSchema. */
function toShow({ caller, software, through, since }: ConnectedClient) {
  const { tokenName, scopes, connection } = caller;
  return {
    token: tokenName,
    scopes: [...scopes],
    address: connection().address,
    software,
    through,
    since: new Date(since).toISOString(),
  };
}
