import { describe, expect, test } from 'bun:test';
import { messageOf } from './messages.ts';
import { routeOf } from './route.ts';

const meta = (more: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
});
const call = (more: object = {}, name = 'a') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, _meta: meta(more) },
});
const named = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'a' };

async function routed(body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const route = routeOf({ method: 'POST', headers: new Headers(headers) }, body);
  if (route.era !== 'refused') return route.era;
  const { error, id } = await route.response.json();
  return [route.response.status, error.code, id];
}

describe('JSON-RPC', () => {
  test.each([
    ['request', { jsonrpc: '2.0', id: 'x', method: 'ping' }],
    ['request', { jsonrpc: '2.0', id: 0, method: 'ping', params: { any: 1, _meta: { progressToken: 1 } } }],
    ['notification', { jsonrpc: '2.0', method: 'ping' }],
    ['response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['response', { jsonrpc: '2.0', error: { code: 1, message: 'x', more: 1 } }],
  ])('%s: %j', (kind, body) => {
    expect(messageOf(body)?.kind as string).toBe(kind);
  });

  test.each([
    [null],
    [[]],
    ['text'],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: null }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: [] } }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { progressToken: {} } } }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', more: 1 }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', result: {} }],
    [{ jsonrpc: '2.0', result: {} }],
    [{ jsonrpc: '2.0', id: 1, error: { code: 'x', message: 'x' } }],
    [JSON.parse('{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}')],
  ])('no message: %j', (body) => {
    expect(messageOf(body)).toBeNull();
  });
});

describe('the protocol of a request', () => {
  test.each([
    ['older', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}],
    ['older', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'MCP-Protocol-Version': '2025-11-25' }],
    ['older', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], {}],
    ['older', { jsonrpc: '2.0', id: 1, result: {} }, named],
    ['newer', call(), named],
    ['newer', call({}, 'ü'), { ...named, 'Mcp-Name': '=?base64?w7w=?=' }],
    ['newer', { jsonrpc: '2.0', method: 'notifications/cancelled' }, { 'MCP-Protocol-Version': '2026-07-28' }],
  ])('%s: %j with %j', async (era, body, headers) => {
    expect(await routed(body, headers)).toBe(era);
  });

  test.each<[unknown, Record<string, string>, number, number | null]>([
    [5, {}, -32_600, null],
    [[], {}, -32_600, null],
    [[call()], {}, -32_600, null],
    [call(), {}, -32_020, 1],
    [call(), { ...named, 'Mcp-Method': 'tools/list' }, -32_020, 1],
    [call(), { ...named, 'Mcp-Name': 'b' }, -32_020, 1],
    [call(), { ...named, 'Mcp-Name': '=?base64?!?=' }, -32_020, 1],
    [call(), { ...named, 'MCP-Protocol-Version': '2025-11-25' }, -32_020, 1],
    [call({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }), {}, -32_022, 1],
    [call({ 'io.modelcontextprotocol/protocolVersion': 5 }), named, -32_602, 1],
    [call({ 'io.modelcontextprotocol/clientCapabilities': { roots: 5 } }), named, -32_602, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'MCP-Protocol-Version': '2026-07-28' }, -32_602, 1],
  ])('%j with %j is refused with %j', async (body, headers, code, id) => {
    expect(await routed(body, headers)).toEqual([400, code, id]);
  });
});
