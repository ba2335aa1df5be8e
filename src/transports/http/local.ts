import { allScopes } from '../../access/scopes.ts';
import type { Caller } from '../../core/caller.ts';
import type { Service } from '../../core/service.ts';
import type { Log } from '../../lib/log.ts';
import { readJson } from './body.ts';
import { jsonResponse, problem, problemOf } from './respond.ts';

/** Where the commands of this machine find an action. */
export const actionPath = (name: string) => `/actions/${name}`;

/**
 * All actions, for the commands of the user whose service this is. Who can connect to the socket can read the first
 * token as well, so no token is asked for: none travels, and whoever pretends to be the service gets none.
 */
export function createLocalHandler(service: Service, log: Log): (request: Request) => Promise<Response> {
  const actions = new Map(service.actions.map((action) => [actionPath(action.name), action]));
  return async (request) => {
    try {
      const action = actions.get(new URL(request.url, 'http://localhost').pathname);
      if (action === undefined)
        return problem(404, 'The running service has no such action; it may be another version');
      if (request.method !== 'POST') return problem(405, 'Actions are sent with POST', { Allow: 'POST' });
      const { message, data } = await service.perform(action, await readJson(request), commandLine);
      return jsonResponse({ status: 'success', message, data });
    } catch (thrown) {
      return problemOf(thrown, log);
    }
  };
}

const commandLine: Caller = {
  tokenName: 'command line',
  tokenId: 'command-line',
  scopes: new Set(allScopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false }),
};
