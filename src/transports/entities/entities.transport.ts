import type { Caller } from '../../core/caller.ts';
import { parse } from '../../core/json/parse.ts';
import type { Feed, HttpRequest } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { defineTransport } from '../../core/transport.ts';
import { ServiceError } from '../../lib/errors.ts';
import { readJson } from '../http/body.ts';
import { refuseUnknownQuery } from '../http/query.ts';
import { secretsOf } from '../http/request.ts';
import { jsonResponse, pictureResponse, serialisedResponse } from '../http/respond.ts';
import type { Entities } from './entities.ts';

/** The machine as entities, described and pushed for thin clients such as the integration for Home Assistant. Loaded on the first request. */
export const entitiesTransport = defineTransport({
  name: 'entities',
  start(parts) {
    const { service, routeTable } = parts;
    let loading: Promise<Entities> | null = null;
    const load = async () => (await import('./entities.ts')).createEntities(parts);
    const entities = () => (loading ??= load());
    const admit = (request: HttpRequest, query: readonly string[] = []): Caller => {
      const caller = service.authorize(secretsOf(request), request.connection);
      requireScope(caller, 'read');
      refuseUnknownQuery(request, query);
      return caller;
    };
    const { routes } = routeTable;
    routes.set('/api/entities', {
      async GET(request) {
        const caller = admit(request);
        return jsonResponse(await (await entities()).describe(caller));
      },
    });
    routes.set('/api/data/entities', {
      async GET(request) {
        admit(request);
        return serialisedResponse((await (await entities()).reading()).text);
      },
    });
    routes.set('/api/entities/picture', {
      async GET(request) {
        admit(request, ['key']);
        const found = await (await entities()).picture(new URLSearchParams(request.rawQuery).get('key') ?? '');
        if (found === null) throw new ServiceError('not_found', 'This entity has no picture now');
        return pictureResponse(found.type, found.bytes);
      },
    });
    routes.set('/api/entities/control', {
      async POST(request) {
        const caller = admit(request);
        const { key, value } = parse(
          (await import('./entities.schema.ts')).controlEntitySchema,
          await readJson(request.raw),
          'The body',
        );
        const { action, input } = await (await entities()).command(key, value);
        const { message, data } = await service.perform(action, input, caller, { gone: () => request.raw.signal });
        return jsonResponse({ status: 'success', message, data });
      },
    });
    routeTable.feeds.set('entities', createFeed(entities));
    routeTable.control = async (key, value) => await (await entities()).command(key, value);
    return {
      async stop() {
        (await loading)?.close();
      },
    };
  },
});

const createFeed = (entities: () => Promise<Entities>): Feed => ({
  get: async () => await (await entities()).reading(),
  listen(_name, listener, { everyMs, seen } = {}) {
    let stop: (() => void) | null = null;
    let hasEnded = false;
    void entities().then((loaded) => {
      if (!hasEnded) stop = loaded.listen(listener, everyMs, seen);
    });
    return () => {
      hasEnded = true;
      stop?.();
    };
  },
  variant: (name) => name,
});
