import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { callerWith, modes } from '../../../test/harness/agents.ts';
import { memory, painting, startAgents, textOf, useAgents } from '../../../test/harness/painting.ts';
import { until } from '../../../test/harness/until.ts';
import { agentKit } from '../../app/transports.ts';

useAgents();

describe('the tool list', () => {
  const names = async (agents: ReturnType<typeof startAgents>, caller = callerWith()) =>
    (await (await agents.connect({ caller })).listTools()).tools.map(({ name }) => name);
  const reading = agentKit.tools.map(({ name }) => name);

  test('read_only contains only reading tools', async () => {
    const agents = startAgents({ actions: [painting().action], mcp: { mode: 'read_only' } });
    expect(await names(agents)).toEqual(reading);
    const client = await agents.connect();
    await expect(client.callTool({ name: 'paint_house' })).rejects.toThrow('There is no tool');
  });

  test('tools outside the default are listed when named, or in the mode full', async () => {
    const options = { actions: [painting({ byDefault: false }).action] };
    expect(await names(startAgents(options))).toEqual(reading);
    expect(await names(startAgents({ ...options, mcp: { tools: ['paint_house'] } }))).toContain('paint_house');
    expect(await names(startAgents({ ...options, mcp: { mode: 'full' } }))).toContain('paint_house');
  });

  test('a token sees the tools of its scopes, and can call no others', async () => {
    const { action, painted } = painting();
    const agents = startAgents({ actions: [action] });
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
    const agents = startAgents({ clock, actions: [{ ...action, unavailable: async () => missing }] });
    expect(await names(agents)).toEqual(reading);
    missing = null;
    // Availability is cached for a second.
    clock.advance(1000);
    expect(await names(agents)).toContain('paint_house');
  });

  test.each(modes)('changed settings are notified in mode %j', async (mode) => {
    const agents = startAgents({ actions: [painting({ byDefault: false }).action] });
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

test('resources are listed, read, recorded and completed, and missing ones are named', async () => {
  const agents = startAgents();
  const client = await agents.connect();
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
  expect(agents.audit).toMatchObject([
    { tool: 'resources/read', arguments: { uri: 'system://modules/memory' }, decision: 'done' },
    { arguments: { uri: 'system://modules/nothing' }, decision: expect.stringMatching(/^not_found: /) },
    { arguments: { uri: 'file:///etc/passwd' } },
  ]);
});

test('every prompt is listed, and the instructions are short', async () => {
  const client = await startAgents().connect();
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
    const agents = startAgents({ actions: [action] });
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
    const agents = startAgents({ actions: [action] });
    const client = await agents.connect();
    await client.callTool({ name: 'paint_house', arguments: { color: 'green', colour: 'my secret' } });
    expect(agents.audit[0]?.arguments).toEqual({ color: '(not recorded)', colour: '(not recorded)' });
  });

  test('of a tool that the settings do not offer says what they lack', async () => {
    const { action, painted } = painting({ missing: () => 'paint_house needs paint: buy some' });
    const agents = startAgents({ actions: [action] });
    const client = await agents.connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('paint_house');
    const result = await client.callTool({ name: 'paint_house', arguments: { color: 'green' } });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('needs paint: buy some')]);
    expect(agents.audit).toMatchObject([{ arguments: { color: 'green' }, decision: expect.stringMatching(/^unsup/) }]);
    expect(painted).toEqual([]);
  });

  test('for a missing scope does not use up the pause of its tool', async () => {
    const { action } = painting({ everyMs: 60_000 });
    const agents = startAgents({ actions: [action] });
    const narrow = await agents.connect({ caller: callerWith(['read']) });
    await narrow.callTool({ name: 'paint_house' });
    const wide = await agents.connect({ caller: callerWith(['read', 'control']) });
    expect((await wide.callTool({ name: 'paint_house' })).structuredContent).toEqual({ painted: 'white' });
  });
});
