import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import os from 'node:os';
import { connectTo } from '../harness/mcp-clients.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

let hostler: RunningHostler;
beforeAll(async () => {
  hostler = await startHostler({ env: { SERVICE_HOST: '0.0.0.0' } });
});
afterAll(async () => {
  expect(await hostler.stop()).toBe(0);
});

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const discover = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } });
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const usual = () => ({
  Authorization: `Bearer ${hostler.token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'server/discover',
});
type Headers = Record<string, string | null>;

/** As bytes, because an HTTP client does not allow setting Host and Origin. */
async function post(headers: Headers, body = discover) {
  const all = { Host: `127.0.0.1:${hostler.port}`, ...usual(), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const raw = await hostler.raw(
    `POST /api/mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    5000,
  );
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head: head.toLowerCase(), body: rest.join('\r\n\r\n') };
}

describe('authentication', () => {
  const evil = 'http://evil.example';
  const own = () => `http://127.0.0.1:${hostler.port}`;
  test.each<[name: string, headers: () => Headers, status: number]>([
    ['as usual', () => ({}), 200],
    ['by another name of this machine', () => ({ Host: `localhost:${hostler.port}` }), 200],
    ['with the token in its own header', () => ({ Authorization: null, 'X-API-Token': hostler.token }), 200],
    ['from our own page', () => ({ Origin: own() }), 200],
    ['a page of another origin', () => ({ Origin: evil }), 403],
    ['a page of another origin without a token', () => ({ Origin: evil, Authorization: null }), 403],
    ['a page without a name', () => ({ Origin: 'null' }), 403],
    ['our own page at another port', () => ({ Origin: 'http://127.0.0.1:1' }), 403],
    ['a name that was pointed here', () => ({ Host: 'evil.example' }), 403],
    ['a name that was pointed here, with its page', () => ({ Host: 'evil.example', Origin: evil }), 403],
    ['two hosts', () => ({ Host: `127.0.0.1:${hostler.port}, evil.example` }), 403],
    ['no token', () => ({ Authorization: null }), 401],
    ['an empty token', () => ({ Authorization: 'Bearer ' }), 401],
    ['a wrong token', () => ({ Authorization: 'Bearer wrong' }), 401],
    ['another scheme', () => ({ Authorization: `Basic ${hostler.token}` }), 401],
    ['two tokens in one header', () => ({ Authorization: `Bearer ${hostler.token}, Bearer x` }), 401],
    ['passed on by a proxy', () => ({ 'X-Forwarded-For': '10.0.0.1' }), 403],
    ['text that a page may send without asking', () => ({ 'Content-Type': 'text/plain' }), 415],
    ['a form', () => ({ 'Content-Type': 'application/x-www-form-urlencoded' }), 415],
    ['no type', () => ({ 'Content-Type': null }), 415],
  ])('%s', async (_name, headers, status) => {
    const answer = await post(headers());
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
    expect(answer.head).toContain('content-type: application/json');
    expect(JSON.parse(answer.body)).toBeObject();
  });

  test('401 says how to authenticate', async () => {
    const { head } = await post({ Authorization: null });
    expect(head).toContain('www-authenticate: bearer realm="hostler", resource_metadata="http://');
  });

  test('a token in the address is ignored', async () => {
    const answer = await fetch(`${hostler.base}/api/mcp?token=${hostler.token}&apiToken=${hostler.token}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: discover,
    });
    expect(answer.status).toBe(401);
  });

  test.each(['/.well-known/openid-configuration', '/register', '/authorize', '/token'])(
    '%s is a 404 in JSON',
    async (route) => {
      const answer = await hostler.get(route, {});
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    },
  );

  test('another address of the network is admitted only with mcp.allowRemote', async () => {
    const address = Object.values(os.networkInterfaces())
      .flat()
      .find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address;
    if (address === undefined) return console.warn('skipped: this machine has no address but loopback');
    const ask = () =>
      fetch(`http://${address}:${hostler.port}/api/mcp`, { method: 'POST', headers: usual(), body: discover });
    const refused = await ask();
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('mcp.allowRemote')]);
    await runHostler(['settings', 'set', 'mcp.allowRemote', 'true'], { directory: hostler.directory });
    await until(async () => ((await ask()).status === 200 ? true : null));
    await runHostler(['settings', 'set', 'mcp.allowRemote', 'false'], { directory: hostler.directory });
    await until(async () => ((await ask()).status === 403 ? true : null));
  });
});

describe('request checks', () => {
  test.each<[name: string, headers: Headers, body: string, status: number]>([
    ['no JSON', {}, '{"jsonrpc"', 400],
    ['nothing', {}, '', 400],
    ['a list of nothing', {}, '[]', 400],
    ['a number', {}, '7', 400],
    ['a tower', {}, `{"params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
    ['too much', {}, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { pad: 'x'.repeat(300_000) } }), 413],
    ['a header that names another method', { 'Mcp-Method': 'tools/list' }, discover, 400],
    ['a header that names another version', { 'MCP-Protocol-Version': '2025-11-25' }, discover, 400],
    ['no header with the version', { 'MCP-Protocol-Version': null }, discover, 400],
    [
      'a session that is none',
      { 'Mcp-Session-Id': 'x', 'MCP-Protocol-Version': null, 'Mcp-Method': null },
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      404,
    ],
    [
      'the older protocol without a session',
      { 'MCP-Protocol-Version': null, 'Mcp-Method': null },
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      400,
    ],
  ])('%s', async (_name, headers, body, status) => {
    const answer = await post(headers, body);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
    const { error } = JSON.parse(answer.body);
    expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  });

  test('a body longer than declared, and a chunked one without an end, do no harm', async () => {
    const pieces = `POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${hostler.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await hostler.raw(pieces + chunk.repeat(6), 3000)).toContain(' 413 ');
    expect((await post({})).status).toBe(200);
  });

  test.each(['PUT', 'PATCH', 'HEAD'])('%s is not served', async (method) => {
    const answer = await fetch(`${hostler.base}/api/mcp`, { method, headers: usual() });
    expect(answer.status).toBe(405);
    await answer.text();
  });
});

describe('sessions and streams', () => {
  test('there are at most 32 sessions; one more replaces the least recently used', async () => {
    const headers = { ...usual(), 'MCP-Protocol-Version': '2025-11-25' };
    const begin = async () => {
      const answer = await fetch(`${hostler.base}/api/mcp`, { method: 'POST', headers, body: initialize });
      expect(answer.status).toBe(200);
      await answer.text();
      return answer.headers.get('mcp-session-id') ?? '';
    };
    const ping = async (id: string) => {
      const answer = await fetch(`${hostler.base}/api/mcp`, {
        method: 'POST',
        headers: { ...headers, 'Mcp-Session-Id': id },
        body: '{"jsonrpc":"2.0","id":2,"method":"ping"}',
      });
      await answer.text();
      return answer.status;
    };
    const ids: string[] = [];
    for (let count = 0; count < 32; count++) ids.push(await begin());
    expect(await ping(ids[0] ?? '')).toBe(200);
    const late = await begin();
    expect([await ping(late), await ping(ids[0] ?? ''), await ping(ids[1] ?? ''), await ping(ids[2] ?? '')]).toEqual([
      200, 200, 404, 200,
    ]);
    for (const id of [late, ...ids])
      await fetch(`${hostler.base}/api/mcp`, { method: 'DELETE', headers: { ...headers, 'Mcp-Session-Id': id } });
    expect(await ping(late)).toBe(404);
  }, 60_000);

  test('a revoked token ends its streams at once, also when the command line revokes it', async () => {
    const { stdout } = await runHostler(['mcp', 'config', 'cursor'], { directory: hostler.directory });
    const token = /Bearer ([\w-]{43})/.exec(stdout)?.[1] ?? '';
    const modern = await connectTo(hostler, { mode: 'auto', over: 'http', token });
    const { closed } = await modern.listen({ resourceSubscriptions: ['system://modules/battery'] });
    const older = await connectTo(hostler, { mode: 'legacy', over: 'http', token });
    await older.subscribeResource({ uri: 'system://modules/battery' });
    await runHostler(['token', 'revoke', 'mcp-cursor'], { directory: hostler.directory });
    await closed;
    await expect(older.listTools()).rejects.toThrow();
  }, 60_000);

  test('many subscriptions that come and go leave nothing behind', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    for (let round = 0; round < 12; round++) {
      const open = await Promise.all(Array.from({ length: 10 }, () => client.listen({ resourceSubscriptions: uris })));
      await Promise.all(open.map((subscription) => subscription.close()));
    }
    // If streams leaked, the token would have none left.
    const last = await client.listen({ resourceSubscriptions: uris });
    await last.close();
    await client.close();
    const reads = async () => {
      const states = (await (await hostler.get('/api/modules')).json()) as { name: string; cost: { reads: number } }[];
      return states.find(({ name }) => name === 'memory')?.cost.reads ?? 0;
    };
    // Without subscribers nothing is read: only the request itself may read.
    await until(async () => {
      const before = await reads();
      await Bun.sleep(2500);
      return (await reads()) - before <= 1 ? true : null;
    });
  }, 120_000);

  test('a wait ends when its client disconnects, and a connection may be silent for long', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const control = new AbortController();
    const call = {
      name: 'wait_for',
      arguments: { module: 'memory', field: 'virtual.percent', op: 'gt', value: 1000, timeout_seconds: 33 },
    };
    const left = client.callTool(call, { signal: control.signal }).catch((error) => error);
    await Bun.sleep(300);
    control.abort();
    expect(await left).toBeInstanceOf(Error);
    // Longer than the 30 s after which the server ends other connections.
    const result = await client.callTool(call, { timeout: 60_000 });
    expect(result.structuredContent).toMatchObject({ met: false });
    await client.close();
  }, 120_000);
});
