import type { ActionDefinition } from '../../core/action.ts';
import { controlEntitySchema } from '../entities/entities.schema.ts';
import { type Json, toJson } from '../http/openapi/fields.ts';
import { schemaOf } from './asyncapi.schemas.ts';
import { getDataSchema, listenSchema, modulesSchema, selectionSchema } from './ws.schema.ts';

/** One event of a client, and the messages that answer it. */
export interface Exchange {
  event: string;
  summary: string;
  description: string;
  scopes: readonly string[];
  effect: string;
  aliasOf?: string;
  data: Json;
  dataRequired: boolean;
  reply: string;
  result: Json;
  notifications: readonly string[];
}

const modulesData = schemaOf(modulesSchema, 'input');
const listenData = schemaOf(listenSchema, 'input');

/** The events of data-events.ts, which are not actions. */
export const dataExchanges: Exchange[] = [
  {
    event: 'GET_DATA',
    summary: 'Get the current data of modules',
    description:
      'One DATA_UPDATE for each module comes as well, to this connection only. Modules that are unknown or absent now are left out, and named in the message of the reply. With fields, sort or limit, each DATA_UPDATE has the id of this request.',
    scopes: ['read'],
    effect: 'read',
    data: schemaOf(getDataSchema, 'input'),
    dataRequired: true,
    reply: 'DATA_GET',
    result: modulesData,
    notifications: [],
  },
  {
    event: 'REGISTER_DATA_LISTENER',
    summary: 'Get the current data of modules, and every change',
    description:
      'A DATA_UPDATE of each module follows the reply at once, and then one at each interval in which it changed. Changes that the operating system announces (media, battery, displays, session, mounts, links) come at once. A second registration replaces the first. Where a name is no module nothing is registered: the reply is an ERROR, and what was registered before stays. A module that is known but absent now is registered.',
    scopes: ['read'],
    effect: 'read',
    data: listenData,
    dataRequired: true,
    reply: 'DATA_LISTENER_REGISTERED',
    result: listenData,
    notifications: [],
  },
  {
    event: 'UNREGISTER_DATA_LISTENER',
    summary: 'Stop getting updates',
    description: 'LISTENER_NOT_REGISTERED where nothing is registered on this connection.',
    scopes: [],
    effect: 'read',
    data: { type: 'object' },
    dataRequired: false,
    reply: 'DATA_LISTENER_UNREGISTERED',
    result: { type: 'null' },
    notifications: [],
  },
  {
    event: 'CONTROL_ENTITY',
    summary: 'Set an entity, or press its button',
    description:
      'Keys are those of /api/entities; the scope of the control is needed as well. What it reports later, such as a pressed button of a notification, comes as ENTITY_EVENT with key, type and data.',
    scopes: ['read'],
    effect: 'write',
    data: schemaOf(controlEntitySchema, 'input'),
    dataRequired: true,
    reply: 'ENTITY_CONTROLLED',
    result: schemaOf(controlEntitySchema.pick({ key: true }), 'output'),
    notifications: ['ENTITY_EVENT'],
  },
];

/** An action under its event and its aliases. */
export async function exchangesOf({ description: summary, scopes, effect, input, output, wire }: ActionDefinition) {
  const data = schemaOf(await input(), 'input');
  if (effect === 'read')
    data.properties = { ...toJson(data.properties), ...toJson(schemaOf(selectionSchema, 'input').properties) };
  const result = schemaOf(await output(), 'output');
  const { event, reply, aliases = [], notifications = [] } = wire;
  const dataRequired = Array.isArray(data.required) && data.required.length > 0;
  const exchange = { summary, description: '', scopes, effect, data, dataRequired, result, notifications };
  return [
    { ...exchange, event, reply },
    ...aliases.map((names): Exchange => ({ ...exchange, ...names, aliasOf: event })),
  ];
}
