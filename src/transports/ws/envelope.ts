import { jsonOf } from '../../core/json/prepared-json.ts';
import { CostlyJson, parseBoundedJson } from '../../lib/bounded-json.ts';
import { ServiceError } from '../../lib/errors.ts';
import { jsonText } from '../../lib/json-text.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import { wireCodeOf } from './codes.ts';

/** A client's request. Ids may repeat and matter only to the client. */
export interface WireRequest {
  id: string;
  token: string;
  event: string;
  data: Record<string, unknown>;
}

const maxIdLength = 1024;

/**
 * Parses one frame. `seen` is filled in first, so that a refusal carries the id of its request.
 * Written by hand: a client that only reads must not load the schema library. ws.schema.ts describes the same for documents.
 */
export function parseRequest(frame: string, seen: { id: string }): WireRequest {
  const message = parseJson(frame);
  if (!isObject(message)) throw bad('A message is a JSON object with token, id, event and data');
  const { id = '', token, event, data } = message;
  seen.id = idOf(id ?? '');
  if (token === undefined || token === null || token === '') {
    throw new ServiceError('unauthorized', `A token is needed in every message; "${ownCommand('token')}" prints it`, {
      subtype: 'MISSING_TOKEN',
    });
  }
  if (typeof token !== 'string') throw new ServiceError('unauthorized', 'token must be a text');
  if (typeof event !== 'string' || event === '') throw bad('event must be a text: the name of the request');
  if (data !== undefined && data !== null && !isObject(data)) throw bad('data must be an object, or left out');
  return { id: seen.id, token, event, data: data ?? {} };
}

function parseJson(frame: string): unknown {
  try {
    return parseBoundedJson(frame);
  } catch (cause) {
    if (cause instanceof CostlyJson) throw bad(cause.message);
    throw new ServiceError('invalid', 'The message is not JSON', { cause, subtype: 'BAD_JSON' });
  }
}

function idOf(id: unknown): string {
  if (typeof id === 'string' && id.length <= maxIdLength) return id;
  throw bad(`id must be a text of at most ${maxIdLength} characters; the answer carries the same one`);
}

/** The only keys of a message: existing clients fail on other keys and on missing data. */
export interface WireMessage {
  id: string;
  type: string;
  subtype: string;
  data: unknown;
  message?: string;
  module?: string;
}

export function replyText(id: string, type: string, data: unknown, message = ''): string {
  const rest = message === '' ? '' : `,"message":${jsonText(message)}`;
  return `{"id":${jsonText(id)},"type":${JSON.stringify(type)},"subtype":"NONE","data":${jsonOf(data ?? null)}${rest}}`;
}

export function refusalText(id: string, error: ServiceError): string {
  const { retryAfterSeconds } = error;
  const wait = retryAfterSeconds === null ? null : { retryAfterSeconds };
  const data = error instanceof UnknownModules ? { unknownModules: error.names } : wait;
  const refusal: WireMessage = { id, type: 'ERROR', subtype: wireCodeOf(error), data, message: error.message };
  return jsonText(refusal);
}

/** A listener for names that are no modules. A client that asks for modules of a newer service goes on without them. */
export class UnknownModules extends ServiceError {
  readonly names: readonly string[];

  constructor(unknown: readonly string[], known: readonly string[]) {
    const names = unknown.map((name) => name.slice(0, 64));
    const listed = names.map((name) => JSON.stringify(name)).join(', ');
    super('not_found', `There is no module ${listed}; available: ${known.join(', ')}`);
    this.names = names;
  }
}

/** Wraps a payload that is already serialised. */
export function updateText(module: string, payload: string, id = 'system'): string {
  return `{"id":${jsonText(id)},"type":"DATA_UPDATE","subtype":"NONE","module":${JSON.stringify(module)},"data":${payload}}`;
}

function bad(sentence: string): ServiceError {
  return new ServiceError('invalid', sentence);
}
