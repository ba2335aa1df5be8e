import { expect, test } from 'bun:test';
import { messageOf } from './messages.ts';
import type { McpRequest, McpServer, Method } from './server.ts';
import { createSession } from './session.ts';

const form = { method: 'elicitation/create', params: { mode: 'form', message: 'Allow?' } };

function opened(methods: Record<string, Method>, capabilities: object = { elicitation: {} }) {
  const server: McpServer = {
    info: { name: 'test', version: '1' },
    capabilities: {},
    instructions: () => '',
    methods: new Map(Object.entries(methods)),
    openState: (state) => state,
    failed: () => {},
  };
  const timers = new Set<() => void>();
  const seen: string[] = [];
  const session = createSession({
    id: 'one',
    server,
    responseWithinMs: 1000,
    keepAliveMs: 15_000,
    maxWaitingBytes: 100_000,
    after(ms, callback) {
      if (ms === 1000) timers.add(callback);
      return () => timers.delete(callback);
    },
    streaming: (open) => void seen.push(open ? 'streaming' : 'silent'),
    closed: () => void seen.push('closed'),
  });
  const request = (method: string, headers: Record<string, string> = {}) =>
    new Request('http://127.0.0.1/', {
      method,
      headers: { Accept: 'application/json, text/event-stream', ...headers },
    });
  const post = (...bodies: object[]) => {
    const messages = bodies.map((body) => messageOf({ jsonrpc: '2.0', ...body })).filter((message) => message !== null);
    return session.answer(request('POST'), messages);
  };
  const params = { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'tester', version: '1' } };
  const begun = post({ id: 0, method: 'initialize', params });
  return { session, post, begun, seen, request, expire: () => [...timers].map((callback) => callback()) };
}

async function messagesIn(response: Promise<Response>): Promise<Record<string, unknown>[]> {
  const events = (await (await response).text())
    .split('\n\n')
    .filter((event) => event.startsWith('event: message\ndata: '));
  return events.map((event) => JSON.parse(event.slice('event: message\ndata: '.length)));
}

test('the version of the client is used, and its name is known', async () => {
  const { begun, session } = opened({});
  expect(await messagesIn(begun)).toMatchObject([{ id: 0, result: { protocolVersion: '2025-06-18' } }]);
  expect([(await begun).headers.get('mcp-session-id'), session.client().info?.name]).toEqual(['one', 'tester']);
});

test('a batch is answered in one stream', async () => {
  const { post } = opened({ 'tools/list': () => ({ tools: [] }) });
  const both = post(
    { id: 1, method: 'ping' },
    { id: 2, method: 'tools/list' },
    { method: 'notifications/initialized' },
  );
  expect((await messagesIn(both)).map(({ id, result }) => [id, result])).toEqual([
    [1, {}],
    [2, { tools: [] }],
  ]);
});

test('a cancelled request gets no response, and its stream ends', async () => {
  const running = Promise.withResolvers<McpRequest>();
  const { post } = opened({
    'tools/call': (_params, request) => {
      running.resolve(request);
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve({ content: [] })));
    },
  });
  const waiting = post({ id: 7, method: 'tools/call', params: { name: 'x' } });
  await running.promise;
  expect((await post({ method: 'notifications/cancelled', params: { requestId: 7 } })).status).toBe(202);
  expect(await messagesIn(waiting)).toEqual([]);
});

const asking: Method = (_params, { responses, state }) =>
  state === undefined
    ? { resultType: 'input_required', inputRequests: { consent: form }, requestState: 'sealed' }
    : { content: [], said: responses.consent };

test('the client is asked on the stream of the call', async () => {
  const { post } = opened({ 'tools/call': asking });
  const calling = post({ id: 1, method: 'tools/call', params: { name: 'x' } });
  await Bun.sleep(1);
  post({ id: 0, result: { action: 'accept', content: { allow: true } } });
  const [question, answer] = await messagesIn(calling);
  expect(question).toEqual({ ...form, jsonrpc: '2.0', id: 0 });
  expect(answer?.result).toEqual({ content: [], said: { action: 'accept', content: { allow: true } } });
});

test.each([
  ['refuses', (post: ReturnType<typeof opened>['post']) => post({ id: 0, error: { code: 1, message: 'no' } }), 'no'],
  [
    'answers with anything else',
    (post: ReturnType<typeof opened>['post']) => post({ id: 0, result: { action: 'yes' } }),
    'Invalid result for elicitation/create',
  ],
])('a client that %s gets an error of the tool', async (_what, react, expected) => {
  const { post } = opened({ 'tools/call': asking });
  const calling = post({ id: 1, method: 'tools/call', params: { name: 'x' } });
  await Bun.sleep(1);
  react(post);
  const [, answer] = await messagesIn(calling);
  expect(JSON.stringify(answer?.result)).toContain(expected);
});

test('a question without an answer is withdrawn', async () => {
  const { post, expire } = opened({ 'tools/call': asking });
  const calling = post({ id: 1, method: 'tools/call', params: { name: 'x' } });
  await Bun.sleep(1);
  expire();
  const [, withdrawn, answer] = await messagesIn(calling);
  expect(withdrawn).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 0 } });
  expect(JSON.stringify(answer?.result)).toContain('timed out');
});

test('a client that declared no forms is not asked', async () => {
  const { post } = opened({ 'tools/call': asking }, {});
  const [answer] = await messagesIn(post({ id: 1, method: 'tools/call', params: { name: 'x' } }));
  expect(answer).toMatchObject({ error: { code: -32_021 } });
});

test('updates go to the one update stream', async () => {
  const { session, request, seen } = opened({});
  const updates = session.answer(request('GET'), []);
  await updates;
  expect((await session.answer(request('GET'), [])).status).toBe(409);
  session.notify('notifications/tools/list_changed');
  expect((await session.answer(request('DELETE'), [])).status).toBe(200);
  expect(await messagesIn(updates)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  expect(seen).toEqual(['streaming', 'silent', 'closed']);
  expect((await session.answer(request('GET'), [])).status).toBe(404);
});

test('errors of methods do not reach the client, others do', async () => {
  const { post } = opened({
    'prompts/list': () => {
      throw new Error('a path of this machine');
    },
  });
  const answers = [
    ...(await messagesIn(post({ id: 1, method: 'prompts/list' }))),
    ...(await messagesIn(post({ id: 2, method: 'constructor' }))),
  ];
  expect(answers.map(({ error }) => error)).toEqual([
    { code: -32_603, message: 'Internal error' },
    { code: -32_601, message: 'Method not found' },
  ]);
});

test('the id of a running request cannot be reused, so closing the session aborts that request', async () => {
  let signal: AbortSignal | null = null;
  const { post, session } = opened({
    'tools/call': (_params, request) => {
      signal = request.signal;
      return new Promise(() => {});
    },
  });
  void post({ id: 7, method: 'tools/call', params: { name: 'x' } });
  expect(await messagesIn(post({ id: 7, method: 'ping' }))).toMatchObject([{ id: 7, error: { code: -32_600 } }]);
  session.close();
  expect((signal as AbortSignal | null)?.aborted).toBe(true);
});

test('a batch has at most 20 messages', async () => {
  const { post } = opened({});
  const pings = Array.from({ length: 21 }, (_, id) => ({ id: id + 1, method: 'ping' }));
  expect((await post(...pings)).status).toBe(400);
});
