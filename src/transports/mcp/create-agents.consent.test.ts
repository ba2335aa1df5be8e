import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import { painting, startAgents, textOf, useAgents } from '../../../test/harness/painting.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { patienceMs } from './consent.user-prompt.ts';

useAgents();

describe('tampered consent', () => {
  const call = async (
    agents: ReturnType<typeof startAgents>,
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

  async function asked(agents: ReturnType<typeof startAgents>): Promise<string> {
    const { result } = await call(agents, { name: 'paint_house', arguments: { color: 'red' } });
    expect(result.resultType).toBe('input_required');
    return result.requestState;
  }

  function house() {
    const { action, painted } = painting({ asks: true });
    const other = painting({ asks: true, name: 'burn_house' });
    return {
      agents: startAgents({
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

describe('the audit log', () => {
  test('records an approval that comes after its call has returned, and the call that uses it', async () => {
    const { action, painted } = painting({ asks: true, everyMs: 60_000 });
    const answer = Promise.withResolvers<'allowed'>();
    const clock = fakeClock();
    const agents = startAgents({ actions: [action], clock, askUser: () => answer.promise });
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
    const agents = startAgents({ actions: [action], askUser: async () => 'allowed' });
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
    const agents = startAgents({
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
  const agents = startAgents({
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
  const agents = startAgents({
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
  const agents = startAgents({
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
  const agents = startAgents({ actions: [action] });
  await (await agents.connect()).callTool({ name: 'paint_house', arguments: { color: 'my secret' } });
  expect(JSON.stringify(agents.audit)).not.toContain('my secret');
});

test('a refusal of an action carries the message of the action', async () => {
  const { action } = painting();
  const agents = startAgents({
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

test('a tool may need the user for some of its calls only', async () => {
  const { action, painted } = painting({ needsConsent: () => true, isAsked: ({ color }) => color === 'red' });
  const client = await startAgents({ actions: [action] }).connect();
  const paint = (color: string) => client.callTool({ name: 'paint_house', arguments: { color } });
  expect((await paint('white')).isError).not.toBe(true);
  expect((await paint('red')).isError).toBe(true);
  expect(painted).toEqual(['white']);
});
