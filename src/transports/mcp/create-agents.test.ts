import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { modes } from '../../../test/harness/agents.ts';
import { painting, startAgents, textOf, useAgents } from '../../../test/harness/painting.ts';
import { turn } from '../../../test/harness/test-store.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionDefinition } from '../../core/action.ts';

useAgents();

describe.each(modes)('in mode %j', (mode) => {
  test('an action with a tool definition appears as a tool', async () => {
    const { action, painted } = painting();
    const agents = startAgents({ actions: [action] });
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
    const client = await startAgents().connect({ mode });
    const result = await client.callTool({ name: 'list_processes', arguments: { sort: 'cpu' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('unknown field \\"sort\\"');
    expect(textOf(result)).toContain('sort_by');
  });

  test('the user is prompted, and an allowed action runs', async () => {
    const { action, painted } = painting({ asks: true });
    const prompts: unknown[] = [];
    const agents = startAgents({
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
    const agents = startAgents({
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
    const agents = startAgents({ actions: [action], askUser: async () => 'denied' });
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
    const agents = startAgents({ actions: [action], askUser: async () => 'denied' });
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
    const agents = startAgents({ actions: [action], mcp: { trustClientConfirmation: true } });
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
    const agents = startAgents({ actions: [action] });
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
    const agents = startAgents({ actions: [action], askUser, mcp: { trustClientConfirmation: true } });
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
    const agents = startAgents({ actions: [{ ...action, run }] });
    const client = await agents.connect({ mode });
    const result = await client.callTool({ name: 'paint_house' });
    await aborted.promise;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('did not finish within 0.05 s');
  });

  test('a cancelled call ends, and is recorded', async () => {
    const agents = startAgents();
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
    const client = await startAgents({ clock }).connect({ mode });
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
    const agents = startAgents({
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
    const agents = startAgents({
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
