import { idShape, isObject, object, optional, record, type Shape, text } from './shape.ts';

export type Id = string | number;
export type Params = Record<string, unknown>;

export interface RequestMessage {
  kind: 'request';
  id: Id;
  method: string;
  params: Params | undefined;
}

export interface NotificationMessage {
  kind: 'notification';
  method: string;
  params: Params | undefined;
}

/** The response of a client to a request of the server. */
export interface ResponseMessage {
  kind: 'response';
  id: Id | undefined;
  result: Params | null;
  /** The client's message, where it refuses. */
  refusal: string;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** https://www.jsonrpc.org/specification and the codes that MCP adds. */
export const codes = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** The first of the server-defined codes. */
  server: -32_000,
  noSession: -32_001,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** An error that the client gets as it is. */
export class McpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The client gets no other error as it is. */
export const toMcpError = (error: unknown) =>
  error instanceof McpError ? error : new McpError(codes.internal, 'Internal error');

/** null: no JSON-RPC message. Unknown fields beside its own are refused. */
export function messageOf(body: unknown): Message | null {
  if (!isObject(body) || body.jsonrpc !== '2.0') return null;
  const { id, method } = body;
  if (Object.hasOwn(body, 'method')) {
    if (typeof method !== 'string' || paramsShape(body.params) !== null) return null;
    const params = isObject(body.params) ? body.params : undefined;
    if (!Object.hasOwn(body, 'id'))
      return holdsOnly(body, noteFields) ? { kind: 'notification', method, params } : null;
    return isId(id) && holdsOnly(body, requestFields) ? { kind: 'request', id, method, params } : null;
  }
  if (id !== undefined && !isId(id)) return null;
  const { result, error } = body;
  if (isObject(result) && metaShape(result) === null && id !== undefined && holdsOnly(body, resultFields))
    return { kind: 'response', id, result, refusal: '' };
  if (isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string')
    return holdsOnly(body, errorFields) ? { kind: 'response', id, result: null, refusal: error.message } : null;
  return null;
}

const requestFields = ['jsonrpc', 'id', 'method', 'params'];
const noteFields = ['jsonrpc', 'method', 'params'];
const resultFields = ['jsonrpc', 'id', 'result'];
const errorFields = ['jsonrpc', 'id', 'error'];

const holdsOnly = (body: Params, fields: readonly string[]) => Object.keys(body).every((key) => fields.includes(key));

const metaShape = object({ _meta: optional(record()) });

const paramsShape: Shape = optional(
  object({
    _meta: optional(
      object({
        progressToken: optional(idShape),
        'io.modelcontextprotocol/related-task': optional(object({ taskId: text })),
      }),
    ),
  }),
);

const isId = (value: unknown): value is Id => idShape(value) === null;

/** A response with one message. */
export function rpcResponse(status: number, message: object): Response {
  return new Response(JSON.stringify(message), { status, headers: { 'Content-Type': 'application/json' } });
}

/** A refusal of the transport, before a method was called. */
export function refusal(status: number, error: McpError, id: Id | null = null): Response {
  return rpcResponse(status, { jsonrpc: '2.0', error: errorOf(error), id });
}

export const resultMessage = (id: Id, result: Params) => ({ result, jsonrpc: '2.0', id });

export const errorMessage = (id: Id, error: McpError) => ({ jsonrpc: '2.0', id, error: errorOf(error) });

const errorOf = ({ code, message, data }: McpError) =>
  data === undefined ? { code, message } : { code, message, data };

export const notificationMessage = (method: string, params?: Params) => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});
