import type { Service } from '../../core/service.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { entityValuesSchema } from '../entities/entities.schema.ts';
import type { Json } from '../http/openapi/fields.ts';
import { dataExchanges, type Exchange, exchangesOf } from './asyncapi.exchanges.ts';
import { type AsyncApiMessage, errorMessage, messagesOf, updateMessage } from './asyncapi.messages.ts';
import { schemaOf } from './asyncapi.schemas.ts';

/** The parts of AsyncAPI 3 in use. Operations are from the service's view: it receives events and sends messages. */
export interface AsyncApi {
  asyncapi: '3.0.0';
  info: Json;
  defaultContentType: string;
  servers: Record<string, Json>;
  channels: { websocket: { address: string; messages: Record<string, Json> } & Json };
  operations: Record<string, AsyncApiOperation>;
  components: { schemas: Record<string, Json>; messages: Record<string, AsyncApiMessage>; correlationIds: Json };
}

export interface AsyncApiOperation {
  action: 'receive' | 'send';
  channel: Json;
  summary: string;
  description?: string;
  messages: Json[];
  reply?: { channel: Json; messages: Json[] };
  'x-scopes'?: readonly string[];
  'x-effect'?: string;
  /** The event that this name is an alias of. */
  'x-alias-of'?: string;
}

/** https://www.asyncapi.com/docs/reference/specification/v3.0.0, generated from the schemas that check the data. */
export async function asyncApiOf({
  version,
  modules,
  actions,
}: Pick<Service, 'version' | 'modules' | 'actions'>): Promise<AsyncApi> {
  const schemas: Record<string, Json> = {};
  for (const { name, description, schema } of modules)
    schemas[name] = { description, ...schemaOf(await schema(), 'output') };
  schemas.entities = { description: 'The values of all entities', ...schemaOf(entityValuesSchema, 'output') };
  const exchanges = [...dataExchanges, ...(await Promise.all(actions.map(exchangesOf))).flat()];
  const updates = modules.flatMap(({ name, description, alias }) => [
    updateMessage(name, name, description),
    ...(alias === undefined ? [] : [updateMessage(alias.name, name, `An older name: ${description}`)]),
  ]);
  updates.push(updateMessage('entities', 'entities', 'The values of all entities; see /api/entities'));
  const messages = [...exchanges.flatMap(messagesOf), ...updates, errorMessage()];
  return {
    asyncapi: '3.0.0',
    info: { title: 'Hostler', version, description, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: {
      machine: {
        host: '{address}:{port}',
        protocol: 'ws',
        description: 'The machine itself, or any address of it',
        variables: { address: { default: '127.0.0.1' }, port: { default: '9170' } },
      },
      secure: {
        host: '{address}:{port}',
        protocol: 'wss',
        description: 'With TLS, where it is switched on',
        variables: { address: { default: '127.0.0.1' }, port: { default: '9171' } },
      },
    },
    channels: {
      websocket: {
        address: '/api/websocket',
        title: 'Everything over one connection',
        messages: Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: Object.fromEntries([
      ...exchanges.map((exchange) => [exchange.event, operationOf(exchange)]),
      ['DATA_UPDATE', updateOperation(updates)],
    ]),
    components: {
      schemas,
      messages: Object.fromEntries(messages.map((message) => [message.name, message])),
      correlationIds: { id: { description: 'Together with the type', location: '$message.payload#/id' } },
    },
  };
}

const description = [
  'Requests and pushed data over one WebSocket, in text frames of JSON. No sub-protocol; the handshake needs no credentials.',
  `Each request carries the token: "${ownCommand('token')}" prints it. A connection without a valid one is closed after 10 s with code 1008, and so is one whose token is revoked or loses a scope. A wrong token is answered, and leaves the connection open.`,
  'Every request gets exactly one final reply: the type named here, or ERROR. Both carry the id of the request. Notifications with the same id may come before the reply or after it.',
  'Frames to the service are text of at most 1 MiB: a binary one ends the connection with code 1003. Updates are below 4 MiB. The service pings a silent client every 30 s and drops it when nothing came for 75 s. A client that does not read fast enough gets only the newest update of a module, never a queue of old ones.',
].join('\n\n');

function operationOf({
  event,
  summary,
  description,
  scopes,
  effect,
  aliasOf,
  reply,
  notifications,
}: Exchange): AsyncApiOperation {
  const scope = scopes.length === 0 ? 'Any token will do.' : `Scope: ${scopes.join(' or ')}.`;
  return {
    action: 'receive',
    channel,
    summary,
    description: [description, scope].filter((part) => part !== '').join(' '),
    messages: [inChannel(event)],
    reply: { channel, messages: [reply, ...notifications, 'ERROR'].map(inChannel) },
    'x-scopes': scopes,
    'x-effect': effect,
    ...(aliasOf === undefined ? {} : { 'x-alias-of': aliasOf }),
  };
}

function updateOperation(updates: AsyncApiMessage[]): AsyncApiOperation {
  return {
    action: 'send',
    channel,
    summary: 'Data of a module',
    description: 'To clients that listen to it or asked for it. A payload equal to the last one is not sent again.',
    messages: updates.map(({ name }) => inChannel(name)),
  };
}

const channel = { $ref: '#/channels/websocket' };

const inChannel = (name: string): Json => ({ $ref: `#/channels/websocket/messages/${name}` });
