import type { ActionDefinition } from '../../../core/action.ts';
import { routeOf } from '../../../core/action-state.ts';
import type { Caller } from '../../../core/caller.ts';
import { fieldsIn } from '../../../core/json/schema-walk.ts';
import type { Handler, HttpRequest, Methods } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import { readActionJson } from '../body.ts';
import { refuseUnknownQuery, selectedBy, selecting } from '../query.ts';
import { jsonResponse, listResponse, pictureResponse } from '../respond.ts';

type CallerOf = (request: HttpRequest) => Caller;

/** The route that runs an action, and the routes that read the same with GET. */
export function actionRoutes(action: ActionDefinition, service: Service, callerOf: CallerOf): [string, Methods][] {
  const { readAt, readBelow } = action;
  const routes: [string, Methods][] = [[routeOf(action), { POST: runRoute(action, service, callerOf) }]];
  if (readAt !== undefined) routes.push([readAt, { GET: readRoute(action, service, callerOf, () => ({})) }]);
  if (readBelow !== undefined)
    routes.push([readBelow, { GET: readRoute(action, service, callerOf, (path) => ({ id: lastOf(path) })) }]);
  return routes;
}

function runRoute(action: ActionDefinition, service: Service, callerOf: CallerOf): Handler {
  // An action that only reads can return selected fields.
  const query = action.effect === 'read' ? selecting : [];
  const { picture } = action;
  return async (request) => {
    const caller = callerOf(request);
    refuseUnknownQuery(request, query);
    const input = async () => {
      const body = await readActionJson(request.raw, caller, action.inputBytes);
      // A program may run for minutes.
      request.unhurried();
      return body;
    };
    const { message, data } = await service.perform(action, input, caller, { gone: () => request.raw.signal });
    const part = request.rawQuery === '' ? data : await selectedBy(request.rawQuery, data, action.output, action.name);
    if (picture !== undefined && request.rawQuery === '' && !wantsJson(request.headers))
      return pictureResponse(picture.typeOf(data), Buffer.from(picture.base64(data), 'base64'));
    return jsonResponse({ status: 'success', message, data: part });
  };
}

/** `inPath`: the input that the path carries. */
function readRoute(
  action: ActionDefinition,
  service: Service,
  callerOf: CallerOf,
  inPath: (path: string) => Record<string, string>,
): Handler {
  return async (request) => {
    const caller = callerOf(request);
    const given = inPath(request.path);
    if (request.rawQuery !== '')
      refuseUnknownQuery(
        request,
        (await inputNamesOf(action)).filter((name) => !Object.hasOwn(given, name)),
      );
    const input = { ...Object.fromEntries(new URLSearchParams(request.rawQuery)), ...given };
    const { data } = await service.perform(action, input, caller, { gone: () => request.raw.signal });
    return listResponse(data, request);
  };
}

/** True only for JSON by name: a client that accepts any type gets the picture. */
const wantsJson = (headers: Headers) => /^application\/json\b/.test(headers.get('accept')?.trim() ?? '');

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

async function inputNamesOf({ input }: ActionDefinition): Promise<string[]> {
  return Object.keys(fieldsIn({ ...(await input()).toJSONSchema({ io: 'input', unrepresentable: 'any' }) }));
}
