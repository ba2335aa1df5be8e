import type { z } from 'zod';
import { actionStatesFor } from '../../../core/action-state.ts';
import type { Caller } from '../../../core/caller.ts';
import { selecting } from '../../../core/json/selection.ts';
import { schemaOfModule } from '../../../core/module.ts';
import type { Reading } from '../../../core/reading.ts';
import type { Handler, HttpRequest, Routes } from '../../../core/route-table.ts';
import { requireScope, type Service } from '../../../core/service.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { once } from '../../../lib/lazily.ts';
import { selectedBy, selectedList } from '../query.ts';
import { jsonResponse, serialisedResponse } from '../respond.ts';

type Authorize = (request: HttpRequest, query?: readonly string[]) => Caller;

/** The lists of modules and actions. */
export function listRoutes(service: Service, authorize: Authorize): Routes {
  const missingModule = (request: HttpRequest): Response => {
    readerOf(authorize, request);
    throw new ServiceError('invalid', 'Name a module: /api/data/{module}; /api/modules lists them');
  };
  /** Once: what a selection may name is derived from it, and kept with it. */
  const actionSchema = once(
    async () => (await import('../access.schema.ts')).createAccessSchemas(service.scopes).actionStateSchema,
  );
  return {
    '/api/modules': {
      async GET(request) {
        const states = await service.store.seenBy(readerOf(authorize, request, selecting)).describe();
        const schema = async () => (await import('../http.schema.ts')).moduleStateSchema;
        return await selectedList(request, states, schema, 'A module');
      },
    },
    '/api/actions': {
      async GET(request) {
        const states = await actionStatesFor(service, readerOf(authorize, request, selecting));
        return await selectedList(request, states, actionSchema, 'An action');
      },
    },
    '/api/data': { GET: missingModule },
    '/api/data/': { GET: missingModule },
  };
}

/** The readings of each module. */
export function moduleRoutes(service: Service, authorize: Authorize): Routes {
  const { store } = service;
  const readWith =
    (name: string): Handler =>
    (request) => {
      const reading = store.seenBy(readerOf(authorize, request, selecting)).get(name);
      if (request.rawQuery !== '') return selected(request, reading, () => schemaOfModule(service.modules, name), name);
      return reading instanceof Promise
        ? reading.then(({ text }) => serialisedResponse(text))
        : serialisedResponse(reading.text);
    };
  const names = [...store.names, ...store.aliases];
  return Object.fromEntries(names.map((name) => [`/api/data/${name}`, { GET: readWith(name) }]));
}

function readerOf(authorize: Authorize, request: HttpRequest, query?: readonly string[]): Caller {
  const caller = authorize(request, query);
  requireScope(caller, 'read');
  return caller;
}

async function selected(
  { rawQuery }: HttpRequest,
  reading: Reading | Promise<Reading>,
  schema: () => Promise<z.ZodType>,
  name: string,
): Promise<Response> {
  return jsonResponse(await selectedBy(rawQuery, (await reading).payload, schema, name));
}
