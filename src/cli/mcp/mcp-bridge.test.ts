import { describe, expect, test } from 'bun:test';
import { until } from '../../../test/harness/until.ts';
import type { LocalMessage, LocalResponse } from '../../host/local-http.ts';
import { createBridge } from './mcp-bridge.ts';
import { headersOf } from './mcp-message.ts';

interface Sent extends LocalMessage {
  message: Record<string, unknown> | null;
}

function start(
  answer: (sent: Sent) => Partial<{ status: number; headers: Record<string, string>; body: string[]; hang: boolean }>,
) {
  const sent: Sent[] = [];
  const written: Record<string, unknown>[] = [];
  const bridge = createBridge({
    async stream(message): Promise<LocalResponse> {
      const one = { ...message, message: message.body === null ? null : JSON.parse(message.body) };
      sent.push(one);
      const { status = 200, headers = {}, body = [], hang = false } = answer(one);
      return {
        status,
        header: (name) => headers[name] ?? null,
        pieces: (async function* () {
          for (const piece of body) yield new TextEncoder().encode(piece);
          if (hang)
            await new Promise((_, reject) =>
              message.signal.addEventListener('abort', () => reject(new Error('aborted'))),
            );
        })(),
      };
    },
    where: async () => ({ socket: '/state/cli-1.sock', secret: 'secret' }),
    write: (line) => void written.push(JSON.parse(line)),
    after: () => () => {},
  });
  return { bridge, sent, written, say: (message: object) => bridge.receive(JSON.stringify(message)) };
}

const stream = { 'content-type': 'text/event-stream' };
const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const reply = (id: number, result: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, result });

test('a message of the newer protocol is sent with its headers, and its response is returned', async () => {
  const { say, sent, written } = start(() => ({ body: [reply(7, { tools: [] })] }));
  say({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'get_overview', ...modern } });
  await until(() => written.length === 1, 'the answer came');
  expect(written).toEqual([{ jsonrpc: '2.0', id: 7, result: { tools: [] } }]);
  expect(sent[0]?.headers).toMatchObject({
    Authorization: 'Bearer secret',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'get_overview',
  });
});

test('a value that a header cannot carry is encoded', () => {
  const named = (name: string) => headersOf({ method: 'tools/call', params: { name, ...modern } })['Mcp-Name'];
  expect(named('plain name')).toBe('plain name');
  expect(named('größe')).toBe(`=?base64?${Buffer.from('größe').toString('base64')}?=`);
  expect(named(' x')).toStartWith('=?base64?');
  expect(named('a\nb')).toStartWith('=?base64?');
  expect(headersOf({ method: 'tools/list' })).toEqual({});
});

test('a stream is forwarded message by message, however it is split', async () => {
  const text = `: keepalive\n\nevent: message\ndata: {"method":"notifications/progress"}\n\ndata: ${reply(1)}\r\n\r\n`;
  const { say, written } = start(() => ({ headers: stream, body: [...text].map((letter) => letter) }));
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modern });
  await until(() => written.length === 2, 'both came');
  expect(written.map(({ method = 'answer' }) => method)).toEqual(['notifications/progress', 'answer']);
});

test('a request of the newer protocol is cancelled by closing the connection', async () => {
  const { say, sent, written } = start(() => ({ headers: stream, hang: true }));
  say({ jsonrpc: '2.0', id: 'a', method: 'subscriptions/listen', params: modern });
  await until(() => sent.length === 1, 'it is under way');
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
  await until(() => sent[0]?.signal.aborted === true, 'it was left');
  expect([sent.length, written]).toEqual([1, []]);
});

describe('the MCP bridge with the older protocol', () => {
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

  function older(lost: { now: boolean } = { now: false }) {
    let sessions = 0;
    return start(({ method, message, headers }) => {
      if (method === 'GET') return { headers: stream, hang: true };
      if (message?.method === 'initialize') {
        sessions += 1;
        lost.now = false;
        return {
          headers: { 'mcp-session-id': `session-${sessions}` },
          body: [reply(0, { protocolVersion: '2025-11-25' })],
        };
      }
      if (lost.now || headers['Mcp-Session-Id'] !== `session-${sessions}`)
        return { status: 404, body: ['{"jsonrpc":"2.0","error":{"code":-32001,"message":"gone"},"id":null}'] };
      return message?.id === undefined ? { status: 202 } : { body: [reply(Number(message.id))] };
    });
  }

  test('requests carry the session, and notifications of the service are forwarded', async () => {
    const { say, sent, written, bridge } = older();
    say(initialize);
    await until(() => written.length === 1, 'it began');
    say(initialized);
    await until(() => sent.some(({ method }) => method === 'GET'), 'it listens');
    say({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await until(() => written.length === 2, 'the answer came');
    expect(sent.at(-1)?.headers).toMatchObject({ 'Mcp-Session-Id': 'session-1', 'MCP-Protocol-Version': '2025-11-25' });
    await bridge.end();
    expect(sent.at(-1)?.method).toBe('DELETE');
  });

  test('a session that the service lost is renewed without an error', async () => {
    const lost = { now: false };
    const { say, sent, written } = older(lost);
    say(initialize);
    await until(() => written.length === 1, 'it began');
    say(initialized);
    await until(() => sent.some(({ method }) => method === 'GET'), 'it listens');
    lost.now = true;
    say({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    say({ jsonrpc: '2.0', id: 2, method: 'prompts/list' });
    await until(() => written.length === 3, 'both answers came');
    expect(written.slice(1).map(({ id, error }) => [id, error])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect(sent.filter(({ message }) => message?.method === 'initialize')).toHaveLength(2);
  });

  test('a cancellation is forwarded', async () => {
    const { say, sent, written } = older();
    say(initialize);
    await until(() => written.length === 1, 'it began');
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    await until(() => sent.at(-1)?.message?.method === 'notifications/cancelled', 'it was sent');
  });
});

describe('an error of the MCP bridge becomes a response', () => {
  const ask = { jsonrpc: '2.0', id: 3, method: 'tools/list', params: modern };

  test('a service that is not running', async () => {
    const written: unknown[] = [];
    const bridge = createBridge({
      stream: () => Promise.reject(new Error('no request is expected')),
      where: () => Promise.reject(new Error('Hostler is not running')),
      write: (line) => void written.push(JSON.parse(line)),
      after: () => () => {},
    });
    bridge.receive(JSON.stringify(ask));
    bridge.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    await until(() => written.length === 1, 'the answer came');
    expect(written).toEqual([{ jsonrpc: '2.0', id: 3, error: { code: -32000, message: 'Hostler is not running' } }]);
  });

  test.each([
    [
      { status: 403, body: ['{"error":"not from here"}'] },
      { code: -32000, message: 'not from here' },
    ],
    [
      {
        status: 400,
        body: ['{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"old","data":{"supported":[]}}}'],
      },
      { code: -32022, message: 'old', data: { supported: [] } },
    ],
    [
      { status: 502, body: [] },
      { code: -32000, message: 'Hostler ended the connection before it answered' },
    ],
    [
      { headers: stream, body: [': nothing\n\n'] },
      { code: -32000, message: 'Hostler ended the connection before it answered' },
    ],
  ])('%j', async (answer, error) => {
    const { say, written } = start(() => answer);
    say(ask);
    await until(() => written.length === 1, 'the answer came');
    expect(written).toEqual([{ jsonrpc: '2.0', id: 3, error }]);
  });

  test('a line that is not a message', () => {
    const { bridge, written } = start(() => ({}));
    bridge.receive('hello');
    bridge.receive('');
    expect(written).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This line is not a JSON-RPC message' } },
    ]);
  });
});

test('requests before the end of the input are answered', async () => {
  const written: string[] = [];
  const answered = Promise.withResolvers<void>();
  const bridge = createBridge({
    async stream({ body }) {
      await answered.promise;
      const { id } = JSON.parse(body ?? '{}') as { id: number };
      const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      return {
        status: 200,
        header: () => 'application/json',
        pieces: (async function* () {
          yield bytes;
        })(),
      };
    },
    where: async () => ({ socket: '', secret: '' }),
    write: (line) => void written.push(line),
    after: () => () => {},
  });
  bridge.receive('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const ended = bridge.end();
  answered.resolve();
  await ended;
  expect(written.map((line) => JSON.parse(line))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});
