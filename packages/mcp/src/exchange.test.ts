import { expect, test } from 'bun:test';
import { createExchange } from './exchange.ts';
import type { RequestMessage } from './messages.ts';
import type { McpServer, Method } from './server.ts';
import { openSubscription, type Subscriber } from './subscription.ts';

const parts = { after: () => () => {}, keepAliveMs: 15_000, maxWaitingBytes: 100_000 };

function started(method: string, run: Method, { params = {}, ended = () => {} } = {}) {
  const control = new AbortController();
  const message: RequestMessage = { kind: 'request', id: 1, method, params };
  const exchange = createExchange(serverWith(method, run), message, { signal: control.signal }, parts, ended);
  return { ...exchange, control };
}

const serverWith = (method: string, run: Method): McpServer => ({
  info: { name: 'test', version: '1' },
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  instructions: () => '',
  methods: new Map([[method, run]]),
  ttlMs: { 'prompts/list': 5 },
  failed: () => {},
});

const ours = { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1' } };

test('a result says that it is complete, how long it is valid and whose it is', async () => {
  const response = await started('prompts/list', () => ({ prompts: [] })).answer();
  expect(await response.json()).toEqual({
    result: { prompts: [], resultType: 'complete', ttlMs: 5, cacheScope: 'private', _meta: ours },
    jsonrpc: '2.0',
    id: 1,
  });
});

test('methods of the older protocol do not exist', async () => {
  const response = await started('resources/subscribe', () => ({})).answer();
  expect([response.status, (await response.json()).error.code]).toEqual([404, -32_601]);
});

test('a notification turns the response into a stream', async () => {
  const call = started(
    'tools/call',
    async (_params, { notify }) => {
      notify('notifications/progress', { progress: 1 });
      return { content: [] };
    },
    { params: { name: 'x' } },
  );
  const response = await call.answer();
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(text.split('\n\n')).toHaveLength(3);
  expect(text).toContain('"resultType":"complete"');
});

test.each(['the client disconnects', 'it is closed'])('a call is cancelled when %s', async (how) => {
  let ended = 0;
  const running = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const call = started(
    'tools/call',
    (_params, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      running.resolve();
      return new Promise(() => {});
    },
    {
      params: { name: 'x' },
      ended: () => {
        ended += 1;
      },
    },
  );
  const response = call.answer();
  await running.promise;
  if (how === 'it is closed') call.close();
  else call.control.abort();
  await aborted.promise;
  call.close();
  expect([(await response).status, ended]).toEqual([499, 1]);
});

test('a subscription announces what the server can announce, and its end', async () => {
  const subscribers: Subscriber[] = [];
  let ended = 0;
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a'] };
  const message: RequestMessage = { kind: 'request', id: 9, method: 'subscriptions/listen', params: { notifications } };
  const { signal } = new AbortController();
  const response = openSubscription(
    serverWith('x', () => ({})),
    message,
    { signal },
    parts,
    (wanted, subscriber) => {
      expect(wanted).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a'] });
      subscribers.push(subscriber);
      return () => {
        ended += 1;
      };
    },
  );
  subscribers[0]?.notify('notifications/tools/list_changed');
  subscribers[0]?.close();
  subscribers[0]?.notify('notifications/tools/list_changed');
  const events = (await response.text()).trim().split('\n\n');
  expect(events.map((event) => JSON.parse(event.slice(event.indexOf('{'))).method ?? 'result')).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
    'result',
  ]);
  expect(ended).toBe(1);
});
