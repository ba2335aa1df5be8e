import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import { painting, startAgents, textOf, useAgents } from '../../../test/harness/painting.ts';
import { until } from '../../../test/harness/until.ts';
import { agentKit } from '../../app/transports.ts';
import { defineTool } from '../../core/tool.ts';
import { maxSessions } from './endpoint.sessions.ts';

useAgents();

describe('limits', () => {
  test('more than 20 calls at once have to wait', async () => {
    const client = await startAgents().connect();
    const results = await Promise.all(
      Array.from({ length: 40 }, () => client.callTool({ name: 'get_module', arguments: { module: 'memory' } })),
    );
    const refused = results.filter(({ isError }) => isError === true);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(20);
    expect(textOf(refused[0] ?? {})).toContain('Try again in');
  });

  test('a tool with a pause runs once in that time', async () => {
    const { action, painted } = painting({ everyMs: 10_000 });
    const client = await startAgents({ actions: [action] }).connect();
    await client.callTool({ name: 'paint_house' });
    expect(textOf(await client.callTool({ name: 'paint_house' }))).toContain('once every 10 s');
    expect(painted).toHaveLength(1);
  });

  test('one prompt at a time', async () => {
    const { action } = painting({ asks: true });
    const answer = Promise.withResolvers<'allowed'>();
    const agents = startAgents({ actions: [action], askUser: () => answer.promise });
    const client = await agents.connect();
    const first = client.callTool({ name: 'paint_house' });
    await until(() => agents.lasting.at(-1) === 2, 'the prompt is open');
    await Bun.sleep(50);
    const other = await client.callTool({ name: 'paint_house', arguments: { color: 'red' } });
    expect(textOf(other)).toContain('still being asked');
    answer.resolve('allowed');
    expect((await first).isError).toBeUndefined();
  });

  test('a result that is too long is replaced by advice', async () => {
    const tool = defineTool<object, { list: string[] }>({
      name: 'talk',
      title: 'Talk',
      description: 'Talks a lot.',
      input: async () => z.object({}),
      output: async () => z.object({ list: z.array(z.string()) }),
      scopes: ['read'],
      run: async () => ({ list: Array.from({ length: 1000 }, () => 'x'.repeat(100)) }),
    });
    const client = await startAgents({ kit: { ...agentKit, tools: [tool] } }).connect();
    const result = await client.callTool({ name: 'talk' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('too long');
  });

  test('the token with most sessions loses one when the limit is reached', async () => {
    const agents = startAgents();
    const open = async (tokenId: string): Promise<number> => {
      const response = await agents.fetchAs(callerWith(undefined, tokenId))('http://127.0.0.1/api/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
        }),
      });
      await response.text();
      return response.status;
    };
    expect(await open('modest')).toBe(200);
    const clients = [];
    // Each of them holds a stream.
    for (let count = 1; count < maxSessions; count++) clients.push(await agents.connect({ mode: 'legacy' }));
    await until(() => agents.lasting.at(-1) === maxSessions, 'all sessions are there');
    const late = await agents.connect({ mode: 'legacy' });
    expect((await late.listTools()).tools.length).toBeGreaterThan(0);
    expect(await open('another')).toBe(200);
    expect(agents.lasting.at(-1)).toBe(maxSessions);
    for (const client of [...clients, late]) await client.close();
  });

  test('a session belongs to the token that began it', async () => {
    const agents = startAgents();
    const mine = agents.fetchAs(callerWith());
    const theirs = agents.fetchAs(callerWith(undefined, 'two'));
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const begun = await mine('http://127.0.0.1/api/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      }),
    });
    const id = begun.headers.get('mcp-session-id') ?? '';
    await begun.text();
    const ask = {
      method: 'POST',
      headers: { ...headers, 'Mcp-Session-Id': id },
      body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    };
    expect((await mine('http://127.0.0.1/api/mcp', ask)).status).toBe(200);
    expect((await theirs('http://127.0.0.1/api/mcp', ask)).status).toBe(404);
    for (const method of ['GET', 'DELETE']) {
      const answer = await theirs('http://127.0.0.1/api/mcp', {
        method,
        headers: { ...headers, 'Mcp-Session-Id': id },
      });
      expect(answer.status).toBe(404);
    }
    expect((await mine('http://127.0.0.1/api/mcp', { method: 'GET', headers })).status).toBe(405);
    const without = await mine('http://127.0.0.1/api/mcp', { ...ask, headers });
    expect(without.status).toBe(400);
  });

  test('a repeated initialize begins a session in place of the earlier one, unless that belongs to another token', async () => {
    const agents = startAgents();
    const initialize = async (
      session: string | null,
      tokenId = 'one',
      accept = 'application/json, text/event-stream',
    ) => {
      const response = await agents.fetchAs(callerWith(undefined, tokenId))('http://127.0.0.1/api/mcp', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: accept,
          ...(session !== null && { 'Mcp-Session-Id': session }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
        }),
      });
      await response.text();
      return { status: response.status, session: response.headers.get('mcp-session-id') };
    };
    const first = await initialize(null);
    const second = await initialize(first.session);
    expect(second.status).toBe(200);
    expect(second.session).not.toBe(first.session);
    expect(agents.lasting.at(-1)).toBe(1);
    expect((await initialize(first.session)).status).toBe(404);
    expect((await initialize(second.session, 'two')).status).toBe(404);
    // A refused one leaves the earlier session as it is.
    expect((await initialize(second.session, 'one', 'text/plain')).status).toBe(406);
    expect((await initialize(second.session)).status).toBe(200);
  });

  test('a token that is no longer valid loses its sessions and streams at once', async () => {
    const agents = startAgents();
    const old = await agents.connect({ mode: 'legacy' });
    const modern = await agents.connect();
    const subscription = await modern.listen({ resourceSubscriptions: ['system://modules/memory'] });
    await until(() => agents.lasting.at(-1) === 2, 'a session and a stream are there');
    agents.endpoint.admit(({ tokenId }) => tokenId !== 'one');
    await until(() => agents.lasting.at(-1) === 0, 'both are gone');
    await subscription.closed;
    await expect(old.listTools()).rejects.toThrow();
  });

  test('streams end with the access token that opened them; the session goes on with a new one', async () => {
    const clock = fakeClock();
    const agents = startAgents({ clock });
    const caller = (hours: number) => ({ ...callerWith(), expiresAt: clock.now() + hours * 3_600_000 });
    const modern = await agents.connect({ caller: caller(1) });
    const subscription = await modern.listen({ resourceSubscriptions: ['system://modules/memory'] });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const begun = await agents.fetchAs(caller(1))('http://h/api/mcp', { method: 'POST', headers, body });
    const session = { ...headers, 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
    const updates = (hours: number) => agents.fetchAs(caller(hours))('http://h/api/mcp', { headers: session });
    const stream = await updates(1);
    clock.advance(3_600_000 - 1);
    expect([agents.lasting.at(-1), (await updates(1)).status]).toEqual([2, 409]);
    clock.advance(1);
    await subscription.closed;
    expect(await stream.text()).not.toContain('event: message');
    const again = await updates(2);
    clock.advance(3_600_000);
    expect([agents.lasting.at(-1), again.status, (await updates(2)).status]).toEqual([1, 200, 409]);
  });

  test('subscriptions of one token are limited', async () => {
    const agents = startAgents();
    const client = await agents.connect();
    for (let count = 0; count < 16; count++)
      await client.listen({ resourceSubscriptions: ['system://modules/memory'] });
    await expect(client.listen({ resourceSubscriptions: ['system://modules/memory'] })).rejects.toThrow();
    await client.close();
    await until(() => agents.lasting.at(-1) === 0, 'all streams are gone');
  });
});
