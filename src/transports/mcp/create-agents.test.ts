import { afterEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { callerWith, type FakeAgentsOptions, fakeAgents, modes } from '../../../test/harness/agents.ts';
import { turn } from '../../../test/harness/test-store.ts';
import { until } from '../../../test/harness/until.ts';
import { agentKit } from '../../app/transports.ts';
import { type ActionDefinition, defineAction } from '../../core/action.ts';
import type { AgentTool } from '../../core/agent.ts';
import { defineTool } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { patienceMs } from './consent.user-prompt.ts';
import { maxSessions } from './endpoint.sessions.ts';

const started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
});

function start(options: FakeAgentsOptions = {}) {
  const agents = fakeAgents({ payloads: { memory }, ...options });
  started.push(agents);
  return agents;
}

const memory = { virtual: { percent: 42 }, swap: { percent: 0 } };

/** An example action; `asks` makes it require a permission prompt. */
function painting({ asks = false, ...more }: Partial<AgentTool> & { asks?: boolean } = {}) {
  const painted: unknown[] = [];
  const tool: AgentTool = {
    name: 'paint_house',
    title: 'Paint the house',
    description: 'Paints it.',
    input: async () => z.strictObject({ color: z.string().default('white') }),
    output: async () => z.object({ painted: z.string() }),
    destructive: asks,
    idempotent: true,
    byDefault: true,
    prompt: ({ color }) => `An agent wants to paint the house ${JSON.stringify(color)}.`,
    ...more,
  };
  const action = defineAction<{ color: string }, { color: string }>({
    name: 'house.paint',
    description: 'Paints the house',
    input: async () => z.object({ color: z.string() }),
    output: async () => z.object({ color: z.string() }),
    scopes: ['control'],
    effect: 'write',
    example: { color: 'green' },
    wire: { event: 'HOUSE_PAINT', reply: 'HOUSE_PAINTED' },
    agent: { tool, toInput: ({ color }) => ({ color }), toOutput: ({ data }) => ({ painted: data.color }) },
    unavailable: async () => null,
    async run(input) {
      painted.push(input.color);
      return { message: 'Painted', data: input };
    },
  });
  return { action: action as ActionDefinition, painted };
}

const textOf = (result: { content?: unknown }) => JSON.stringify(result.content);

describe.each(modes)('in mode %j', (mode) => {
  test('an action with a tool definition appears as a tool', async () => {
    const { action, painted } = painting();
    const agents = start({ actions: [action] });
    const client = await agents.connect({ mode });
    const { tools } = await client.listTools();
    const listed = tools.find(({ name }) => name === 'paint_house');
    expect(listed?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(listed?.outputSchema?.type).toBe('object');
    const result = await client.callTool({ name: 'paint_house', arguments: { color: 'green' } });
    expect(result.structuredContent).toEqual({ painted: 'green' });
    expect(result.content).toEqual([{ type: 'text', text: '{"painted":"green"}' }]);
    expect(painted).toEqual(['green']);
    expect(agents.audit).toEqual([
      {
        client: 'tester 1',
        token: 'token one',
        tool: 'paint_house',
        arguments: { color: 'green' },
        decision: 'done',
      },
    ]);
  });

  test('invalid arguments give a result with a remedy', async () => {
    const client = await start().connect({ mode });
    const result = await client.callTool({ name: 'list_processes', arguments: { sort: 'cpu' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('unknown field \\"sort\\"');
    expect(textOf(result)).toContain('sort_by');
  });

  test('the user is prompted, and an allowed action runs', async () => {
    const { action, painted } = painting({ asks: true });
    const prompts: unknown[] = [];
    const agents = start({
      actions: [action],
      async askUser(prompt) {
        prompts.push(prompt);
        return 'allowed';
      },
    });
    const client = await agents.connect({ mode });
    const result = await client.callTool({ name: 'paint_house', arguments: { color: 'red' } });
    expect(result.structuredContent).toEqual({ painted: 'red' });
    expect(prompts).toEqual([
      { title: '"token one" asks for paint_house', text: 'An agent wants to paint the house "red".' },
    ]);
    expect(painted).toEqual(['red']);
  });

  test('an action that is allowed elsewhere than on the screen is recorded with who allowed it', async () => {
    const { action, painted } = painting({ asks: true });
    const agents = start({
      actions: [action],
      async askUser(_prompt, _signal, answered) {
        answered?.({ at: 'dashboard', who: '"phone"' });
        return 'allowed';
      },
    });
    await (await agents.connect({ mode })).callTool({ name: 'paint_house' });
    expect(painted).toHaveLength(1);
    expect(agents.audit.at(-1)).toMatchObject({ decision: 'done', agreed: 'dashboard', answered_by: '"phone"' });
  });

  test('a denied action does not run, whatever the model claims', async () => {
    const { action, painted } = painting({
      asks: true,
      input: async () => z.object({ color: z.string().default('white'), confirm: z.boolean().optional() }),
    });
    const agents = start({ actions: [action], askUser: async () => 'denied' });
    const client = await agents.connect({ mode });
    const result = await client.callTool({ name: 'paint_house', arguments: { confirm: true } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('did not allow');
    expect(painted).toEqual([]);
    expect(agents.audit[0]?.decision).toStartWith('forbidden: The user did not allow paint_house');
  });

  test('with a desktop the answer of the client does not count', async () => {
    const { action, painted } = painting({ asks: true });
    let elicited = 0;
    const agents = start({ actions: [action], askUser: async () => 'denied' });
    const client = await agents.connect({ mode, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => {
      elicited += 1;
      return { action: 'accept', content: { allow: true } };
    });
    expect((await client.callTool({ name: 'paint_house' })).isError).toBe(true);
    expect([elicited, painted]).toEqual([0, []]);
  });

  test.each([
    ['accept', { allow: true }, true],
    ['accept', { allow: false }, false],
    ['accept', {}, false],
    ['decline', undefined, false],
    ['cancel', undefined, false],
  ] as const)('a trusted client asks; %s with %j counts as %p', async (answer, content, allowed) => {
    const { action, painted } = painting({ asks: true });
    const agents = start({ actions: [action], mcp: { trustClientConfirmation: true } });
    const client = await agents.connect({ mode, capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return content === undefined ? { action: answer } : { action: answer, content };
    });
    const result = await client.callTool({ name: 'paint_house', arguments: { color: 'blue' } });
    expect(asked).toEqual(['An agent wants to paint the house "blue".']);
    expect(result.isError === true).toBe(!allowed);
    expect(painted).toEqual(allowed ? ['blue'] : []);
    expect(agents.audit.at(-1)).toMatchObject({ agreed: allowed ? 'client' : 'nobody' });
  });

  test('where the user does not answer, a client that claims to support prompts approves nothing', async () => {
    const { action, painted } = painting({ asks: true });
    const agents = start({ actions: [action] });
    const client = await agents.connect({ mode, capabilities: { elicitation: { form: {} } } });
    let elicited = 0;
    client.setRequestHandler('elicitation/create', () => {
      elicited += 1;
      return { action: 'accept', content: { allow: true } };
    });
    const result = await client.callTool({ name: 'paint_house' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('did not allow');
    expect([elicited, painted]).toEqual([0, []]);
    expect([agents.audit.map(({ agreed }) => agreed), agents.kinds]).toEqual([['nobody'], ['consent']]);
  });

  test('mcp.trustClientConfirmation lets the client prompt although there is a desktop', async () => {
    const { action, painted } = painting({ asks: true });
    const askUser = async () => {
      throw new Error('no prompt is expected');
    };
    const agents = start({ actions: [action], askUser, mcp: { trustClientConfirmation: true } });
    const client = await agents.connect({ mode, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { allow: true } }));
    await client.callTool({ name: 'paint_house' });
    expect(painted).toEqual(['white']);
  });

  test('a tool that exceeds its deadline reports it, and its work is cancelled', async () => {
    const { action } = painting({ deadlineMs: 50 });
    const aborted = Promise.withResolvers<void>();
    const run: ActionDefinition['run'] = (_input, { signal, orderSignal }) => {
      orderSignal.addEventListener('abort', () => signal.aborted && aborted.resolve());
      return new Promise(() => {});
    };
    const agents = start({ actions: [{ ...action, run }] });
    const client = await agents.connect({ mode });
    const result = await client.callTool({ name: 'paint_house' });
    await aborted.promise;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('did not finish within 0.05 s');
  });

  test('a cancelled call ends, and is recorded', async () => {
    const agents = start();
    const client = await agents.connect({ mode });
    const control = new AbortController();
    const waiting = client.callTool(
      { name: 'wait_for', arguments: { module: 'memory', field: 'virtual.percent', op: 'gt', value: 99 } },
      { signal: control.signal },
    );
    const outcome = waiting.catch((error) => error);
    await until(() => agents.lasting.length > 0, 'the call is under way');
    await Bun.sleep(50);
    control.abort();
    expect(await outcome).toBeInstanceOf(Error);
    await until(() => agents.audit.length === 1, 'the cancelled call is recorded');
    expect(agents.audit[0]?.decision).toContain('cancelled');
  });

  test('progress is sent to clients that request it', async () => {
    const clock = fakeClock();
    const client = await start({ clock }).connect({ mode });
    const reported: unknown[] = [];
    const call = client.callTool(
      {
        name: 'wait_for',
        arguments: { module: 'memory', field: 'virtual.percent', op: 'gt', value: 99, timeout_seconds: 1 },
      },
      { onprogress: (progress) => void reported.push(progress) },
    );
    await until(() => reported.length > 0, 'the progress came');
    clock.advance(1000);
    await call;
    expect(reported).toEqual([{ progress: 0, total: 1, message: 'memory is being watched' }]);
  });

  test('an unexpected error of a tool appears only in the log', async () => {
    const { action } = painting();
    const agents = start({
      actions: [
        {
          ...action,
          async run() {
            throw new Error('secret path /home/me');
          },
        },
      ],
    });
    const result = await (await agents.connect({ mode })).callTool({ name: 'paint_house' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).not.toContain('/home/me');
  });

  test('a changed resource is notified at most once a second, and only while a client follows it', async () => {
    let percent = 0;
    let reads = 0;
    const clock = fakeClock();
    const agents = start({
      clock,
      payloads: {
        memory: () => {
          reads += 1;
          percent += 1;
          return { virtual: { percent }, swap: { percent: 0 } };
        },
      },
    });
    const client = await agents.connect({ mode });
    let updates = 0;
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      expect(params.uri).toBe('system://modules/memory');
      updates += 1;
    });
    const uri = 'system://modules/memory';
    const followedAt = clock.monotonic();
    const stop = mode === 'legacy' ? await older() : await newer();
    const isThird = () => {
      if (updates < 3) clock.advance(200);
      return updates >= 3;
    };
    await until(isThird, 'three updates came');
    expect(clock.monotonic() - followedAt).toBeGreaterThanOrEqual(2000);
    await stop();
    await until(() => agents.lasting.at(-1) === (mode === 'legacy' ? 1 : 0), 'the stream is gone');
    const before = reads;
    expect(before).toBeGreaterThan(5);
    for (let second = 0; second < 3; second += 1) {
      clock.advance(1000);
      await turn();
    }
    expect(reads).toBe(before);

    async function older() {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    }
    async function newer() {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
  });
});

describe('tampered consent', () => {
  const call = async (
    agents: ReturnType<typeof start>,
    params: Record<string, unknown>,
    caller = callerWith(),
    headers: Record<string, string> = {},
  ) => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    };
    const answer = await agents.fetchAs(caller)('http://127.0.0.1/api/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': String(params.name),
        ...headers,
      },
      body: JSON.stringify(message),
    });
    return { status: answer.status, ...JSON.parse(await answer.text()) };
  };
  const yes = { inputResponses: { consent: { action: 'accept', content: { allow: true } } } };

  async function asked(agents: ReturnType<typeof start>): Promise<string> {
    const { result } = await call(agents, { name: 'paint_house', arguments: { color: 'red' } });
    expect(result.resultType).toBe('input_required');
    return result.requestState;
  }

  function house() {
    const { action, painted } = painting({ asks: true });
    const other = painting({ asks: true, name: 'burn_house' });
    return {
      agents: start({
        actions: [action, { ...other.action, name: 'house.burn' }],
        mcp: { trustClientConfirmation: true },
      }),
      painted,
      burnt: other.painted,
    };
  }

  test('a valid one is accepted for one call', async () => {
    const { agents, painted } = house();
    const requestState = await asked(agents);
    const params = { name: 'paint_house', arguments: { color: 'red' }, requestState, ...yes };
    expect((await call(agents, params)).result.structuredContent).toEqual({ painted: 'red' });
    const again = await call(agents, params);
    expect(again.result.isError).toBe(true);
    expect(painted).toEqual(['red']);
  });

  test.each([
    ['changed', (state: string) => `${state.slice(0, -4)}AAAA`, {}],
    ['made up', () => 'v1.e30.AAAA', {}],
    ['no state at all', () => '', {}],
    ['for other arguments', (state: string) => state, { arguments: { color: 'black' } }],
    ['for another tool', (state: string) => state, { name: 'burn_house' }],
  ])('%s is refused', async (_name, change, params) => {
    const { agents, painted, burnt } = house();
    const requestState = change(await asked(agents));
    const answer = await call(agents, {
      name: 'paint_house',
      arguments: { color: 'red' },
      ...yes,
      ...params,
      requestState,
    });
    expect(answer.error?.code === -32602 || answer.result.isError === true).toBe(true);
    expect([painted, burnt]).toEqual([[], []]);
  });

  test('one of another token is refused', async () => {
    const { agents, painted } = house();
    const requestState = await asked(agents);
    const params = { name: 'paint_house', arguments: { color: 'red' }, requestState, ...yes };
    expect((await call(agents, params, callerWith(undefined, 'two'))).error.code).toBe(-32602);
    expect(painted).toEqual([]);
  });

  test('an answer without a prompt causes a new prompt', async () => {
    const { agents, painted } = house();
    const { result } = await call(agents, { name: 'paint_house', arguments: { color: 'red' }, ...yes });
    expect(result.resultType).toBe('input_required');
    expect(painted).toEqual([]);
  });

  test('a header that contradicts the message is refused', async () => {
    const { agents } = house();
    const wrong = await call(agents, { name: 'paint_house' }, callerWith(), { 'Mcp-Name': 'burn_house' });
    expect([wrong.status, wrong.error.code]).toEqual([400, -32020]);
    const version = await call(agents, { name: 'paint_house' }, callerWith(), { 'MCP-Protocol-Version': '2025-11-25' });
    expect([version.status, version.error.code]).toEqual([400, -32020]);
  });
});

describe('the tool list', () => {
  const names = async (agents: ReturnType<typeof start>, caller = callerWith()) =>
    (await (await agents.connect({ caller })).listTools()).tools.map(({ name }) => name);
  const reading = agentKit.tools.map(({ name }) => name);

  test('read_only contains only reading tools', async () => {
    const agents = start({ actions: [painting().action], mcp: { mode: 'read_only' } });
    expect(await names(agents)).toEqual(reading);
    const client = await agents.connect();
    await expect(client.callTool({ name: 'paint_house' })).rejects.toThrow('There is no tool');
  });

  test('tools outside the default are listed when named, or in the mode full', async () => {
    const options = { actions: [painting({ byDefault: false }).action] };
    expect(await names(start(options))).toEqual(reading);
    expect(await names(start({ ...options, mcp: { tools: ['paint_house'] } }))).toContain('paint_house');
    expect(await names(start({ ...options, mcp: { mode: 'full' } }))).toContain('paint_house');
  });

  test('a token sees the tools of its scopes, and can call no others', async () => {
    const { action, painted } = painting();
    const agents = start({ actions: [action] });
    expect(await names(agents, callerWith(['read']))).toEqual(reading);
    expect(await names(agents, callerWith(['control']))).toEqual(['paint_house']);
    const client = await agents.connect({ caller: callerWith(['read']) });
    const result = await client.callTool({ name: 'paint_house' });
    expect(textOf(result)).toContain('lacks the scope');
    expect(painted).toEqual([]);
    const blind = await agents.connect({ caller: callerWith(['control']) });
    expect(textOf(await blind.callTool({ name: 'get_overview' }))).toContain('lacks the scope');
    await expect(blind.readResource({ uri: 'system://modules/memory' })).rejects.toThrow('lacks the scope');
  });

  test('a tool is listed only while it is available', async () => {
    let missing: string | null = 'it is not set up';
    const { action } = painting({ onlyWhenAvailable: true });
    const clock = fakeClock();
    const agents = start({ clock, actions: [{ ...action, unavailable: async () => missing }] });
    expect(await names(agents)).toEqual(reading);
    missing = null;
    // Availability is cached for a second.
    clock.advance(1000);
    expect(await names(agents)).toContain('paint_house');
  });

  test.each(modes)('changed settings are notified in mode %j', async (mode) => {
    const agents = start({ actions: [painting({ byDefault: false }).action] });
    const client = await agents.connect({ mode });
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    if (mode === 'legacy') await until(() => agents.lasting.length > 0, 'the session is there');
    else await client.listen({ toolsListChanged: true });
    await Bun.sleep(50);
    agents.change({ tools: ['paint_house'] });
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('paint_house');
  });
});

describe('limits', () => {
  test('more than 20 calls at once have to wait', async () => {
    const client = await start().connect();
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
    const client = await start({ actions: [action] }).connect();
    await client.callTool({ name: 'paint_house' });
    expect(textOf(await client.callTool({ name: 'paint_house' }))).toContain('once every 10 s');
    expect(painted).toHaveLength(1);
  });

  test('one prompt at a time', async () => {
    const { action } = painting({ asks: true });
    const answer = Promise.withResolvers<'allowed'>();
    const agents = start({ actions: [action], askUser: () => answer.promise });
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
    const client = await start({ kit: { ...agentKit, tools: [tool] } }).connect();
    const result = await client.callTool({ name: 'talk' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('too long');
  });

  test('the token with most sessions loses one when the limit is reached', async () => {
    const agents = start();
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
    const agents = start();
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
    const agents = start();
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
    const agents = start();
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
    const agents = start({ clock });
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
    const agents = start();
    const client = await agents.connect();
    for (let count = 0; count < 16; count++)
      await client.listen({ resourceSubscriptions: ['system://modules/memory'] });
    await expect(client.listen({ resourceSubscriptions: ['system://modules/memory'] })).rejects.toThrow();
    await client.close();
    await until(() => agents.lasting.at(-1) === 0, 'all streams are gone');
  });
});

test('resources are listed, read and completed, and missing ones are named', async () => {
  const client = await start().connect();
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['system://overview', 'system://modules/memory']);
  const { contents } = await client.readResource({ uri: 'system://modules/memory' });
  expect(JSON.parse(contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '')).toMatchObject({
    module: 'memory',
    data: memory,
    truncated: [],
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['system://modules/{module}']);
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'system://modules/{module}' },
    argument: { name: 'module', value: 'm' },
  });
  expect(completion.values).toEqual(['memory']);
  await expect(client.readResource({ uri: 'system://modules/nothing' })).rejects.toThrow();
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow();
});

test('every prompt is listed, and the instructions are short', async () => {
  const client = await start().connect();
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual([
    'diagnose_slowness',
    'health_report',
    'disk_cleanup_advice',
    'network_audit',
    'prepare_shutdown',
  ]);
  for (const { name } of prompts) expect((await client.getPrompt({ name })).messages).toHaveLength(1);
  await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('There is no prompt');
  expect(client.getInstructions()?.length ?? 0).toBeLessThanOrEqual(500);
});

describe('a refused call', () => {
  test('names the command that grants the scope, and is recorded with its arguments but without secrets', async () => {
    const { action } = painting();
    const agents = start({ actions: [action] });
    const client = await agents.connect({ caller: { ...callerWith(['read']), isExtensible: true } });
    const secret = 'a1'.repeat(20);
    const result = await client.callTool({
      name: 'paint_house',
      arguments: { color: `see https://user:pw@host/x?y=1 ${secret}`, deep: { password: 'hunter2', list: [secret] } },
    });
    expect(textOf(result)).toContain('hostler token change');
    expect(textOf(result)).toContain('--add-scope control');
    expect(agents.audit.map((entry) => entry.arguments)).toEqual([
      { color: 'see https://host/… (left out)', deep: { password: '(not recorded)', list: ['(left out)'] } },
    ]);
    expect(agents.kinds).toEqual(['reading']);
  });

  test('of a tool with unlogged arguments is recorded without unknown ones, which may hold the same', async () => {
    const { action } = painting({ unlogged: ['color'] });
    const agents = start({ actions: [action] });
    const client = await agents.connect();
    await client.callTool({ name: 'paint_house', arguments: { color: 'green', colour: 'my secret' } });
    expect(agents.audit[0]?.arguments).toEqual({ color: '(not recorded)', colour: '(not recorded)' });
  });

  test('of a tool that the settings do not offer says what they lack', async () => {
    const { action, painted } = painting({ missing: () => 'paint_house needs paint: buy some' });
    const agents = start({ actions: [action] });
    const client = await agents.connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('paint_house');
    const result = await client.callTool({ name: 'paint_house', arguments: { color: 'green' } });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('needs paint: buy some')]);
    expect(agents.audit).toMatchObject([{ arguments: { color: 'green' }, decision: expect.stringMatching(/^unsup/) }]);
    expect(painted).toEqual([]);
  });

  test('for a missing scope does not use up the pause of its tool', async () => {
    const { action } = painting({ everyMs: 60_000 });
    const agents = start({ actions: [action] });
    const narrow = await agents.connect({ caller: callerWith(['read']) });
    await narrow.callTool({ name: 'paint_house' });
    const wide = await agents.connect({ caller: callerWith(['read', 'control']) });
    expect((await wide.callTool({ name: 'paint_house' })).structuredContent).toEqual({ painted: 'white' });
  });
});

describe('the audit log', () => {
  test('records an approval that comes after its call has returned, and the call that uses it', async () => {
    const { action, painted } = painting({ asks: true, everyMs: 60_000 });
    const answer = Promise.withResolvers<'allowed'>();
    const clock = fakeClock();
    const agents = start({ actions: [action], clock, askUser: () => answer.promise });
    const client = await agents.connect();
    const first = client.callTool({ name: 'paint_house', arguments: { color: 'red' } });
    await until(() => agents.lasting.at(-1) === 2, 'the prompt is open');
    clock.advance(patienceMs);
    expect(textOf(await first)).toContain('Approval is pending');
    expect([painted, (await first).isError]).toEqual([[], true]);
    answer.resolve('allowed');
    await until(() => agents.audit.length === 2, 'it is recorded');
    // It is the same call, so the pause between two calls does not apply.
    await client.callTool({ name: 'paint_house', arguments: { color: 'red' } });
    expect(painted).toEqual(['red']);
    expect(agents.audit.map(({ agreed, decision }, index) => [agents.kinds[index], agreed, decision])).toEqual([
      ['reading', undefined, 'pending'],
      ['consent', 'screen', 'allowed'],
      ['consent', 'screen', 'started'],
      ['consent', 'screen', 'done'],
    ]);
  });

  test('records who consented, before the action and after', async () => {
    const { action } = painting({ asks: true });
    const agents = start({ actions: [action], askUser: async () => 'allowed' });
    await (await agents.connect()).callTool({ name: 'paint_house' });
    expect(agents.audit.map(({ agreed, decision }) => [agreed, decision])).toEqual([
      ['screen', 'started'],
      ['screen', 'done'],
    ]);
    expect(agents.kinds).toEqual(['consent', 'consent']);
  });

  test('separates actions, reads and failed calls', async () => {
    const { action } = painting();
    const asking = painting({ asks: true, name: 'burn_house' });
    const agents = start({
      actions: [action, { ...asking.action, name: 'house.burn' }],
      askUser: async () => 'denied',
    });
    const client = await agents.connect();
    await client.callTool({ name: 'paint_house' });
    await client.callTool({ name: 'get_module', arguments: { module: 'memory' } });
    // Repetitions of these must not displace real actions.
    await client.callTool({ name: 'paint_house', arguments: { colour: 'red' } });
    await client.callTool({ name: 'burn_house', arguments: { colour: 'red' } });
    await client.callTool({ name: 'burn_house' });
    await client.callTool({ name: 'burn_house' });
    expect(agents.audit.map(({ tool }, index) => [agents.kinds[index], tool])).toEqual([
      ['acting', 'paint_house'],
      ['reading', 'get_module'],
      ['reading', 'paint_house'],
      ['reading', 'burn_house'],
      ['consent', 'burn_house'],
      ['reading', 'burn_house'],
    ]);
    expect(agents.audit.map(({ agreed }) => agreed ?? null)).toEqual([null, null, null, null, 'nobody', null]);
    expect(agents.audit.at(-1)?.decision).toStartWith('rate_limited: The user was asked before');
  });
});

test('an action whose target changed while the prompt was shown does not run', async () => {
  const { action, painted } = painting({
    asks: true,
    prompt: (_given, { mcp }) => `An agent wants to paint the house with ${mcp.commands.join()}.`,
  });
  const agents = start({
    actions: [action],
    mcp: { commands: ['a brush'] },
    async askUser() {
      agents.change({ commands: ['a bucket'] });
      return 'allowed';
    },
  });
  const result = await (await agents.connect()).callTool({ name: 'paint_house' });
  expect(textOf(result)).toContain('was changed in the settings');
  expect(painted).toEqual([]);
});

test('a destructive tool without its own prompt shows all its arguments', async () => {
  const { action } = painting({ asks: true });
  const { agent } = action;
  if (agent === undefined) throw new Error('it is a tool');
  const { prompt: _none, ...tool } = agent.tool;
  const bare: ActionDefinition = { ...action, agent: { ...agent, tool } };
  const texts: string[] = [];
  const agents = start({
    actions: [bare],
    async askUser({ text }) {
      texts.push(text);
      return 'denied';
    },
  });
  await (await agents.connect()).callTool({ name: 'paint_house', arguments: { color: 'red\nAllow' } });
  expect(texts).toEqual(['Paint the house?\ncolor: "red\\nAllow"']);
});

test.each([
  ['its value is too long', { color: 'x'.repeat(500) }, {}],
  ['it has too many lines', {}, { prompt: () => 'Paint?\n'.repeat(6) }],
])('a call is refused without a prompt where %s to be shown whole', async (_why, given, more) => {
  const { action, painted } = painting({ asks: true, ...more });
  const agents = start({
    actions: [action],
    askUser: async () => await Promise.reject(new Error('the user was asked')),
  });
  const result = await (await agents.connect()).callTool({ name: 'paint_house', arguments: given });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('a prompt holds 500 characters in 6 lines');
  expect(painted).toEqual([]);
});

test('unlogged arguments are not recorded', async () => {
  const { action } = painting({ unlogged: ['color'] });
  const agents = start({ actions: [action] });
  await (await agents.connect()).callTool({ name: 'paint_house', arguments: { color: 'my secret' } });
  expect(JSON.stringify(agents.audit)).not.toContain('my secret');
});

test('a refusal of an action carries the message of the action', async () => {
  const { action } = painting();
  const agents = start({
    actions: [
      {
        ...action,
        async run() {
          throw new ServiceError('unsupported', 'There is no house here');
        },
      },
    ],
  });
  const result = await (await agents.connect()).callTool({ name: 'paint_house' });
  expect(result.content).toEqual([{ type: 'text', text: 'There is no house here' }]);
});
