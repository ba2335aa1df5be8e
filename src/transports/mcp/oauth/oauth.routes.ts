import type { Oauth } from '../../../access/oauth/oauth.ts';
import type { Handler, Methods } from '../../../core/route-table.ts';
import { once } from '../../../lib/lazily.ts';
import type { Log } from '../../../lib/log.ts';
import type { Settings } from '../../../settings/settings.schema.ts';
import { problem, problemOf } from '../../http/respond.ts';
import { issuerPaths, refuseElsewhere, resourcePaths } from './oauth.address.ts';

export interface OauthRouteParts {
  oauth(): Promise<Oauth>;
  settings(): Settings;
  log: Log;
}

/** OAuth for agents. Everything is loaded at the first request; while the setting is off there is nothing at these paths. */
export function oauthRoutes(parts: OauthRouteParts): [string, Methods][] {
  const { settings, log } = parts;
  const load = once(async () => (await import('./oauth.handlers.ts')).createOauthHandlers(parts.oauth));
  const guarded =
    (name: keyof Awaited<ReturnType<typeof load>>): Handler =>
    async (request) => {
      if (!settings().mcp.oauth) return problem(404, `There is nothing at ${request.path}; mcp.oauth is off`);
      try {
        refuseElsewhere(request, settings());
        return await (await load())[name](request);
      } catch (thrown) {
        return problemOf(thrown, log);
      }
    };
  return [
    ...resourcePaths.map((path): [string, Methods] => [path, { GET: guarded('resource') }]),
    ...issuerPaths.map((path): [string, Methods] => [path, { GET: guarded('server') }]),
    ['/oauth/authorize', { GET: guarded('page'), POST: guarded('ask') }],
    ['/oauth/answer', { POST: guarded('answer') }],
    ['/oauth/register', { POST: guarded('register') }],
    ['/oauth/token', { POST: guarded('token') }],
    ['/oauth/revoke', { POST: guarded('revoke') }],
  ];
}
