import { browserNameOf } from '../../../access/sessions/browser-name.ts';
import type { Caller } from '../../../core/caller.ts';
import { parse } from '../../../core/json/parse.ts';
import { selecting } from '../../../core/json/selection.ts';
import type { HttpRequest, Routes } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import { once } from '../../../lib/lazily.ts';
import { ownProgram } from '../../../lib/own-command.ts';
import { readJson, readUnauthenticatedJson } from '../body.ts';
import { refuseUnknownQuery, selectedList } from '../query.ts';
import { secretsOf } from '../request.ts';
import { jsonResponse } from '../respond.ts';
import { clearsCache } from './login-page.ts';

/** Signs browsers in, verifies, lists and ends their sessions. Rationale: docs/decisions/0024. */
export function browserRoutes(
  { browsers, scopes }: Service,
  authorize: (request: HttpRequest, query?: readonly string[]) => Caller,
  secure: () => { port: number; own_authority: boolean } | null,
): Routes {
  const sessionSchema = once(
    async () => (await import('../access.schema.ts')).createAccessSchemas(scopes).browserSessionSchema,
  );

  /** Sessions that were resumed since the start: before it the port may have been that of another program. */
  const seen = new Set<string>();

  return {
    '/api/login': {
      // Public: the client has not signed in yet.
      GET(request) {
        refuseUnknownQuery(request, []);
        return jsonResponse({ command: ownProgram, secure: secure() });
      },
      async POST(request) {
        const { headers, connection } = request;
        const { loginSchema } = await import('../http.schema.ts');
        const { code, public_key, stay } = parse(
          loginSchema,
          (await readUnauthenticatedJson(request.raw)) ?? {},
          'login',
        );
        const name = browserNameOf(headers.get('user-agent') ?? '');
        const credential = code == null ? { secrets: [...secretsOf(request)] } : { code };
        const wanted = { name, key: public_key ?? null, stay: stay ?? false };
        return jsonResponse(await browsers.signIn(credential, wanted, connection));
      },
    },
    '/api/sessions/challenge': { POST: () => jsonResponse(browsers.challenge()) },
    '/api/sessions': {
      async GET(request) {
        const list = await browsers.list(authorize(request, selecting));
        return await selectedList(request, list, sessionSchema, 'A session');
      },
      async POST(request) {
        const { proofSchema } = await import('../http.schema.ts');
        const proof = parse(proofSchema, await readUnauthenticatedJson(request.raw), 'session');
        const origin = request.headers.get('origin') ?? '';
        const resumed = await browsers.resume({ ...proof, origin }, request.connection);
        const isFirst = !seen.has(resumed.session.id);
        seen.add(resumed.session.id);
        return jsonResponse(resumed, 200, isFirst ? clearsCache : null);
      },
      async DELETE(request) {
        const caller = authorize(request);
        const { endSessionSchema } = await import('../http.schema.ts');
        const { id } = parse(endSessionSchema, await readJson(request.raw), 'session');
        return jsonResponse(await browsers.end(id, caller));
      },
    },
  };
}
