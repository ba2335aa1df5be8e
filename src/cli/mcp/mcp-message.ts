import { isObject } from '../../lib/values.ts';

/** A JSON-RPC message, as far as the bridge reads it. */
export type JsonRpc = Record<string, unknown>;

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** It expects a response. */
export const isRequest = ({ id, method }: JsonRpc) => typeof method === 'string' && id !== undefined && id !== null;

export const idOf = ({ id }: JsonRpc) => JSON.stringify(id);

/** Messages of the newer protocol contain their version. */
export const isModern = (message: JsonRpc) => versionOf(message) !== null;

/** The headers that the newer protocol requires; they must match the message. */
export function headersOf(message: JsonRpc): Record<string, string> {
  const version = versionOf(message);
  if (version === null) return {};
  const name = nameOf(message);
  return {
    'MCP-Protocol-Version': headerValue(version),
    'Mcp-Method': headerValue(String(message.method)),
    ...(name === null ? {} : { 'Mcp-Name': headerValue(name) }),
  };
}

/** Keeps the protocol's error codes, which clients depend on. */
export function rpcError(request: JsonRpc | null, message: string, code = -32_000): JsonRpc {
  return { jsonrpc: '2.0', id: request?.id ?? null, error: { code, message } };
}

function versionOf({ params }: JsonRpc): string | null {
  const meta = isObject(params) ? params._meta : null;
  const version = isObject(meta) ? meta[versionKey] : null;
  return typeof version === 'string' ? version : null;
}

const nameFields: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function nameOf({ method, params }: JsonRpc): string | null {
  const field = nameFields[String(method)];
  const name = field === undefined || !isObject(params) ? undefined : params[field];
  return typeof name === 'string' ? name : null;
}

/** Encodes what a header cannot carry: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
