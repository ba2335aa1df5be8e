import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Client } from '@modelcontextprotocol/client';
import { callerWith, fakeAgents } from '../../../test/harness/agents.ts';
import { hostile, traps } from '../../../test/harness/hostile.ts';
import { hostilePayload } from '../../../test/harness/hostile-payload.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { History } from '../../core/readings/history.ts';
import { modules, actions as realActions } from '../../features/index.ts';

/** The real actions, replaced by counters. */
const counting = (ran: string[]) =>
  realActions.map(
    ({ fromStart: _, ...action }): ActionDefinition => ({
      ...action,
      unavailable: async () => null,
      async run() {
        ran.push(action.name);
        return { message: '', data: {} };
      },
    }),
  );

/** The history of a machine on which everything has this name. */
const pastOf = (text: string): History => ({
  note: () => {},
  read: async ({ from, to }) => ({
    from,
    to,
    step: 15,
    recording: true,
    series: [{ name: text, unit: text, description: text, mean: [1], least: [1], most: [1], peak: null }],
    processes: [{ pid: 7, name: text, cpu: 1, most_cpu: 1, memory: 1 }],
    programs: [{ name: text, count: 1, cpu: 1, most_cpu: 1, memory: 1 }],
    events: [{ at: from, kind: 'mount', text }],
    names: [text],
  }),
});

describe.each(hostile)('every name of the machine is %s', (_name, text) => {
  const ran: string[] = [];
  const asked: string[] = [];
  const sent: string[] = [];
  let agents: ReturnType<typeof fakeAgents>;

  beforeAll(async () => {
    const payloads = await Promise.all(
      modules.map(async ({ name, schema }) => [name, hostilePayload(await schema(), text)] as const),
    );
    agents = fakeAgents({
      payloads: Object.fromEntries(payloads),
      actions: counting(ran),
      history: pastOf(text),
      mcp: { mode: 'full', trustClientConfirmation: true },
      async askUser(prompt) {
        asked.push(prompt.text);
        return 'allowed';
      },
    });
  });
  afterAll(() => agents.close());

  /** A client that obeys the server. Each has its own token, because calls are limited. */
  const connect = async (name: string): Promise<Client> => {
    const client = await agents.connect({
      caller: callerWith(undefined, name),
      mode: 'legacy',
      capabilities: { sampling: {}, elicitation: {}, roots: {} },
    });
    client.fallbackRequestHandler = async ({ method }) => {
      sent.push(method);
      return {};
    };
    return client;
  };

  test.each(modules.map(({ name }) => name))('%s is plain data for an agent', async (module) => {
    const client = await connect(module);
    const answer = await client.callTool({ name: 'get_module', arguments: { module } });
    expect(Array.isArray(answer.content) && answer.content.map(({ type }) => type)).toEqual(['text']);
    expect(answer.isError ?? false).toBe(false);
    expect(Object.keys(answer).filter((key) => !known.includes(key))).toEqual([]);
    expect(unsafe(answer)).toEqual([]);
    const { contents } = await client.readResource({ uri: `system://modules/${module}` });
    expect(contents).toMatchObject([{ mimeType: 'application/json' }]);
    expect(unsafe(contents)).toEqual([]);
    for (const content of contents) if ('text' in content) expect(unsafe(JSON.parse(content.text))).toEqual([]);
    await client.close();
  });

  test('reading it has no side effects', async () => {
    const client = await connect('the others');
    for (const name of ['get_overview', 'list_processes', 'list_connections', 'what_happened']) {
      const answer = await client.callTool({ name, arguments: {} });
      expect(answer.isError ?? false).toBe(false);
      expect(unsafe(answer)).toEqual([]);
    }
    expect({ ran, asked, sent }).toEqual({ ran: [], asked: [], sent: [] });
    await client.close();
  });
});

const known = ['content', 'structuredContent', 'isError', '_meta', 'resultType'];

/** Every text and every name in it that contains unsafe characters. */
function unsafe(value: unknown): string[] {
  if (typeof value === 'string') return traps.test(value) ? [value.slice(0, 200)] : [];
  if (Array.isArray(value)) return value.flatMap(unsafe);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...unsafe(key), ...unsafe(inner)]);
}
