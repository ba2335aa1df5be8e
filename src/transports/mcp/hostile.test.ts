import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { callerWith, fakeAgents } from '../../../test/harness/agents.ts';
import { hostile, traps } from '../../../test/harness/hostile.ts';
import { type ActionDefinition, defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';

/** A machine on which every name, title and path is hostile. */
const machine = (text: string) => ({
  battery: { is_charging: true, percentage: 50, time_remaining: 60 },
  cpu: { name: text, usage: 1, count: 2, load_average: 0, temperature: null, per_cpu: [] },
  disks: {
    devices: [
      {
        name: text,
        partitions: [
          {
            device: text,
            mount_point: `/media/${text}`,
            filesystem_type: 'ext4',
            options: text,
            category: 'primary',
            usage: { total: 1e9, used: 0.99e9, free: 1e7, percent: 99 },
          },
        ],
        health: { passed: false, critical_warnings: [text] },
      },
    ],
    arrays: [
      { name: text, kind: 'btrfs', state: 'degraded', members: [{ name: text, state: 'missing' }], volumes: [text] },
    ],
  },
  media: { title: text, artist: text, album_title: text, thumbnail: `data:image/png;base64,${text}` },
  memory: { virtual: { percent: 1, available: 1, total: 1 }, swap: { percent: 0 } },
  networks: {
    networks: [{ name: text, addresses: [] }],
    connections: [{ fd: 1, family: 2, type: 1, laddr: text, raddr: text, status: text, pid: 1 }],
    io: null,
  },
  processes: [
    {
      id: 1,
      name: text,
      cpu_usage: 1,
      memory_usage: 1,
      created: 1,
      path: `/bin/${text}`,
      status: 'running',
      username: text,
      working_directory: `/tmp/${text}`,
    },
  ],
  system: {
    hostname: text,
    platform: text,
    platform_version: text,
    uptime: 1,
    pending_reboot: null,
    users: [{ name: text }],
  },
});

/** Echoes its input, or fails with it. */
const echo = defineAction<{ words: string; fail: boolean }, { words: string }>({
  name: 'echo.say',
  description: 'Says it back',
  input: async () => z.object({ words: z.string(), fail: z.boolean() }),
  output: async () => z.object({ words: z.string() }),
  scopes: ['control'],
  effect: 'write',
  example: { words: 'hello', fail: false },
  wire: { event: 'ECHO_SAY', reply: 'ECHO_SAID' },
  agent: {
    tool: {
      name: 'echo',
      title: 'Echo',
      description: 'Says it back.',
      input: async () => z.strictObject({ words: z.string(), fail: z.boolean().default(false) }),
      output: async () => z.object({ title: z.string(), output: z.string() }),
      destructive: true,
      idempotent: true,
      byDefault: true,
      prompt: ({ words }) => `An agent wants to say ${JSON.stringify(words)}.`,
      longTexts: ['output'],
    },
    toInput: (given) => given,
    toOutput: ({ data }) => ({ title: data.words, output: data.words }),
  },
  unavailable: async () => null,
  async run({ words, fail }) {
    if (fail) throw new ServiceError('failed', `It is called ${JSON.stringify(words)}`);
    return { message: words, data: { words } };
  },
});

describe.each(hostile)('%s', (_name, text) => {
  const prompts: string[] = [];
  const agents = fakeAgents({
    payloads: machine(text),
    actions: [echo as ActionDefinition],
    async askUser(prompt) {
      prompts.push(prompt.title, prompt.text);
      return 'allowed';
    },
  });
  let client: Client;
  beforeAll(async () => {
    client = await agents.connect({ caller: callerWith(undefined, 'of a test') });
  });
  afterAll(async () => {
    await client.close();
    await agents.close();
  });

  const calls: [tool: string, given: Record<string, unknown>][] = [
    ['get_overview', {}],
    ['get_module', { module: 'media' }],
    ['get_module', { module: 'disks' }],
    ['get_module', { module: 'system', fields: ['hostname', 'users.name'] }],
    ['list_processes', { detail: 'full' }],
    ['list_connections', {}],
    ['wait_for', { module: 'media', field: 'title', op: 'ne', value: '' }],
    ['echo', { words: text }],
    ['echo', { words: text, fail: true }],
    // As an argument of the agent that an error repeats.
    ['get_module', { module: text }],
    ['get_module', { module: 'cpu', fields: [text.slice(0, 100)] }],
    ['list_processes', { [text.slice(0, 100)]: 1 }],
    ['wait_for', { module: 'cpu', field: text.slice(0, 100) || 'x', op: 'eq', value: 1 }],
  ];

  test.each(calls)('does no harm through %s', async (name, given) => {
    const result = await client.callTool({ name, arguments: given });
    const [content] = Array.isArray(result.content) ? result.content : [];
    const shown = content?.type === 'text' ? content.text : '';
    expect(shown).not.toBe('');
    expect(shown.replaceAll('\\n', '\n').replaceAll('\\t', '\t')).not.toMatch(traps);
    expect(shown.length).toBeLessThan(40_000);
    // Everything inside data is inside a JSON string, so it cannot be mistaken for anything else.
    if (result.isError !== true) expect(JSON.parse(shown)).toEqual(result.structuredContent);
    else expect(shown.length).toBeLessThan(700);
  });

  test('is harmless in resources, prompts, lists and the audit log', async () => {
    const other = await agents.connect({ caller: callerWith(undefined, 'of resources') });
    for (const { uri } of (await client.listResources()).resources) {
      const { contents } = await other.readResource({ uri });
      expect(JSON.stringify(contents)).not.toMatch(traps);
    }
    for (const prompt of prompts) {
      expect(prompt).not.toMatch(traps);
      expect(prompt.length).toBeLessThanOrEqual(512);
    }
    // What does not fit into a prompt is refused.
    expect(prompts.length > 0).toBe(text.length < 100_000);
    expect(JSON.stringify((await client.listTools()).tools)).not.toContain(text);
    for (const entry of agents.audit) expect(JSON.stringify(entry)).not.toMatch(traps);
    expect(Math.max(...agents.audit.map((entry) => JSON.stringify(entry).length))).toBeLessThan(4000);
  });
});
