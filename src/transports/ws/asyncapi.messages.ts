import { errorCodes, type WireCode } from '@hostler/client/error-codes.ts';
import type { Json } from '../http/openapi/fields.ts';
import type { Exchange } from './asyncapi.exchanges.ts';
import { envelopeOf, schemaOf } from './asyncapi.schemas.ts';
import { errorDataSchema, messageSchema, requestSchema } from './ws.schema.ts';

export interface AsyncApiMessage {
  name: string;
  summary: string;
  correlationId?: Json;
  payload: Json;
}

export function messagesOf({
  event,
  summary,
  data,
  dataRequired,
  reply,
  result,
  notifications,
}: Exchange): AsyncApiMessage[] {
  const request = envelopeOf(requestSchema, 'input', { event: { const: event }, data });
  const required = dataRequired ? ['token', 'event', 'data'] : ['token', 'event'];
  const sent = (type: string, content: Json, text: string): AsyncApiMessage => ({
    name: type,
    summary: text,
    correlationId,
    payload: envelopeOf(messageSchema, 'output', {
      type: { const: type },
      subtype: { const: 'NONE' },
      data: content,
      module: undefined,
    }),
  });
  return [
    { name: event, summary, correlationId, payload: { ...request, required } },
    sent(reply, result, `The reply to ${event}`),
    ...notifications.map((type) => sent(type, {}, `A notification in addition to the reply to ${event}`)),
  ];
}

const correlationId = { $ref: '#/components/correlationIds/id' };

/** An update of a module under the requested name. */
export function updateMessage(asked: string, module: string, summary: string): AsyncApiMessage {
  return {
    name: `DATA_UPDATE.${asked}`,
    summary,
    payload: envelopeOf(messageSchema, 'output', {
      id: { const: 'system' },
      type: { const: 'DATA_UPDATE' },
      subtype: { const: 'NONE' },
      module: { const: asked },
      data: { $ref: `#/components/schemas/${module}` },
      message: undefined,
    }),
  };
}

export function errorMessage(): AsyncApiMessage {
  return {
    name: 'ERROR',
    summary: 'The reply to a request that was refused or failed',
    correlationId,
    payload: envelopeOf(messageSchema, 'output', {
      type: { const: 'ERROR' },
      subtype: {
        enum: [...errorCodes],
        description: errorCodes.map((code) => `${code}: ${meanings[code]}`).join('\n'),
      },
      data: schemaOf(errorDataSchema, 'output'),
      module: undefined,
    }),
  };
}

const missing = (field: string) => `data.${field} is missing`;

const meanings: Record<WireCode, string> = {
  BAD_REQUEST: 'something in the message is not valid; the sentence names it',
  BAD_TOKEN: 'the token is not valid',
  BAD_JSON: 'the message is not JSON',
  BAD_DIRECTORY: 'there is no such directory',
  BAD_FILE: 'there is no such file',
  BAD_PATH: 'the path leaves its base, or may not be opened',
  INVALID_ACTION: 'there is no such action',
  LISTENER_ALREADY_REGISTERED: 'never sent: a second registration replaces the first',
  LISTENER_NOT_REGISTERED: 'nothing is registered on this connection',
  MISSING_ACTION: missing('action'),
  MISSING_BASE: missing('base'),
  MISSING_KEY: missing('key'),
  MISSING_MODULES: missing('modules'),
  MISSING_PATH: missing('path'),
  MISSING_PATH_URL: 'data.path and data.url are both missing',
  MISSING_SETTING: missing('setting'),
  MISSING_TEXT: missing('text'),
  MISSING_TITLE: missing('title'),
  MISSING_TOKEN: 'the message has no token',
  MISSING_VALUE: missing('value'),
  COMMAND_NOT_FOUND: 'no command in the settings has this id',
  UNKNOWN_EVENT: 'there is no such event',
  UNSUPPORTED: 'not supported on this machine; the sentence says what is missing',
  FORBIDDEN: 'the token lacks the scope, or the caller may not do this',
  FAILED: 'it was tried and did not work',
  RATE_LIMITED: 'too many requests on this connection are being answered',
};
