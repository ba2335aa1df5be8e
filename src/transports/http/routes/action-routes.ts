import type { ActionDefinition } from '../../../core/action.ts';
import { routeOf } from '../../../core/action-state.ts';
import type { Caller } from '../../../core/caller.ts';
import { jsonOf } from '../../../core/json/prepared-json.ts';
import { fieldsIn } from '../../../core/json/schema-walk.ts';
import { isSelecting, selecting } from '../../../core/json/selection.ts';
import type { Handler, HttpRequest, Methods } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import { jsonText } from '../../../lib/json-text.ts';
import { readActionJson } from '../body.ts';
import { asLongList, type SendLong } from '../long-answer.ts';
import { refuseUnknownQuery, selectedBy } from '../query.ts';
import { listResponse, pictureResponse, serialisedResponse } from '../respond.ts';

export interface ActionRouteParts {
  service: Service;
  callerOf(request: HttpRequest): Caller;
  sendLong: SendLong;
}

/** The route that runs an action, and the routes that read the same with GET. */
export function actionRoutes(action: ActionDefinition, parts: ActionRouteParts): [string, Methods][] {
  const { readAt, readBelow } = action;
  const routes: [string, Methods][] = [[routeOf(action), { POST: runRoute(action, parts) }]];
  if (readAt !== undefined) routes.push([readAt, { GET: readRoute(action, parts, () => ({})) }]);
  if (readBelow !== undefined)
    routes.push([readBelow, { GET: readRoute(action, parts, (path) => ({ id: lastOf(path) })) }]);
  return routes;
}

function runRoute(action: ActionDefinition, { service, callerOf, sendLong }: ActionRouteParts): Handler {
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
    const select = async <T>(whole: T) =>
      request.rawQuery === '' ? whole : await selectedBy(request.rawQuery, whole, action.output, action.name);
    const list = asLongList(data);
    if (list !== null) {
      const around = [`${success(message)},"data":`, '}'] as const;
      return await sendLong(caller, list, { select: async (whole) => asList(await select(whole)), around });
    }
    const part = await select(data);
    if (picture !== undefined && request.rawQuery === '' && !wantsJson(request.headers))
      return pictureResponse(picture.typeOf(data), Buffer.from(picture.base64(data), 'base64'));
    return serialisedResponse(`${success(message)}${part === undefined ? '' : `,"data":${jsonOf(part)}`}}`);
  };
}

/** `inPath`: the input that the path carries. */
function readRoute(
  action: ActionDefinition,
  { service, callerOf }: ActionRouteParts,
  inPath: (path: string) => Record<string, string>,
): Handler {
  return async (request) => {
    const caller = callerOf(request);
    const given = inPath(request.path);
    if (request.rawQuery !== '') {
      const ofInput = (await inputNamesOf(action)).filter((name) => !Object.hasOwn(given, name));
      refuseUnknownQuery(request, [...ofInput, ...selecting]);
    }
    const query = Object.entries(Object.fromEntries(new URLSearchParams(request.rawQuery)));
    const input = { ...Object.fromEntries(query.filter(([name]) => !isSelecting(name))), ...given };
    const { data } = await service.perform(action, input, caller, { gone: () => request.raw.signal });
    return listResponse(await selectedBy(request.rawQuery, data, action.output, action.name), request);
  };
}

/** Without its end. */
const success = (message: string) => `{"status":"success","message":${jsonText(message)}`;

/** A selection of a list is a list. */
const asList = (selected: unknown): readonly object[] => (Array.isArray(selected) ? selected : []);

/** True only for JSON by name: a client that accepts any type gets the picture. */
const wantsJson = (headers: Headers) => /^application\/json\b/.test(headers.get('accept')?.trim() ?? '');

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

async function inputNamesOf({ input }: ActionDefinition): Promise<string[]> {
  return Object.keys(fieldsIn({ ...(await input()).toJSONSchema({ io: 'input', unrepresentable: 'any' }) }));
}
