import { afterAll, beforeAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { agentKit } from '../src/app/transports.ts';
import type { History } from '../src/core/readings/history.ts';
import { actions, defaultSettings, modules } from '../src/features/index.ts';
import { createCatalogue } from '../src/transports/mcp/server.catalogue.ts';
import {
  bytesOf,
  definitionOf,
  everydayRequests,
  missingIn,
  requestLimits,
  tokensOf,
  usualScopes,
} from './harness/agent-requests.ts';
import { callerWith, fakeAgents } from './harness/agents.ts';

/** The everyday requests on the largest fixture machines; bench/agents.ts runs them on a real one. */

const catalogue = createCatalogue({
  service: {
    modules,
    actions,
    unavailable: async () => null,
    paused: () => null,
    perform: () => Promise.reject(new Error('nothing is done here')),
  },
  tools: agentKit.tools,
  settings: () => defaultSettings,
});
const reading = new Set(agentKit.tools.map(({ name }) => name));

/** The longest payload among the recorded machines of each module, and more processes and sockets than any of them has. */
function largest(): Record<string, unknown> {
  const recorded = modules.map(({ name, empty }) => {
    const fixtures = path.join(import.meta.dirname, '..', 'src', 'features', name, 'fixtures', 'linux');
    const texts = fs.existsSync(fixtures)
      ? fs.readdirSync(fixtures).map((machine) => path.join(fixtures, machine, 'expected.json'))
      : [];
    const [longest] = texts
      .filter((file) => fs.existsSync(file))
      .map((file) => fs.readFileSync(file, 'utf8'))
      .sort((a, b) => b.length - a.length);
    return [name, longest === undefined ? empty : JSON.parse(longest)];
  });
  return { ...Object.fromEntries(recorded), processes, networks };
}

const processes = Array.from({ length: 1500 }, (_, index) => ({
  id: 100_000 + index,
  parent_id: 2,
  name: index % 3 === 0 ? 'firefox' : `kworker/${index}:0H-kblockd`,
  cpu_usage: index % 90,
  memory_usage: index % 7,
  created: 1_700_000_000 + index,
  path: index % 3 === 0 ? `/usr/lib/firefox/${'long-name/'.repeat(5)}firefox` : null,
  status: 'sleeping',
  username: 'root',
  working_directory: null,
}));
const addresses = ['10.123.123.123', 'fe80::1234:5678:9abc:def0%eth0'].map((address) => ({
  address,
  family: 'IPv4',
  netmask: '255.255.255.255',
  broadcast: null,
  ptp: null,
}));
const networks = {
  networks: Array.from({ length: 60 }, (_, index) => ({
    name: `veth${index}abcdef`,
    addresses,
    stats: { isup: true, duplex: 'full', speed: 10_000, mtu: 1500, flags: ['up', 'broadcast', 'running', 'multicast'] },
    io: { bytes_sent: 123_456_789_012, bytes_recv: 123_456_789_012 },
  })),
  connections: Array.from({ length: 4000 }, (_, index) => ({
    fd: index,
    family: 10,
    type: 1,
    laddr: `[fd00:1234:5678:9abc::1]:${[22, 8080, 443][index % 3]}`,
    raddr: `[fd00:1234:5678:9abc:def0:1234:5678:9abc]:${40_000 + index}`,
    status: index % 2 === 0 ? 'ESTABLISHED' : 'LISTEN',
    pid: 100_000 + (index % 1500),
  })),
  io: null,
};
const history: History = {
  note: () => {},
  async read({ from, to }) {
    const values = Array.from({ length: 240 }, (_, index) => 1_234_567 + index);
    const names = ['cpu', 'memory', 'swap', 'network/received', 'network/sent', 'disks/read', 'disks/written', 'power'];
    return {
      from,
      to,
      step: 15,
      recording: true,
      series: names.map((name) => ({
        name,
        unit: 'bytes_per_second',
        description: name,
        mean: values,
        least: values,
        most: values,
        peak: { at: to, value: 1_234_806 },
      })),
      processes: processes
        .slice(0, 20)
        .map(({ id, name }) => ({ pid: id, name, cpu: 12.5, most_cpu: 99.5, memory: 5e8 })),
      programs: [],
      events: Array.from({ length: 200 }, (_, at) => ({
        at,
        kind: 'mount',
        text: `/media/user/${at} was mounted`,
      })),
      names,
    };
  },
};

let agents: ReturnType<typeof fakeAgents>;
let client: Client;
beforeAll(async () => {
  agents = fakeAgents({ payloads: largest(), history });
  client = await agents.connect({ caller: callerWith(usualScopes) });
});
afterAll(async () => {
  await client.close();
  await agents.close();
});

test('there are forty requests and no duplicates', () => {
  expect(everydayRequests).toHaveLength(40);
  expect(new Set(everydayRequests.map(({ asked }) => asked)).size).toBe(40);
});

test.each(everydayRequests.map((request) => [request.asked, request] as const))(
  '"%s" takes at most two calls of tools that the token has, with arguments that they accept',
  async (_asked, { calls, scope }) => {
    expect(calls.length).toBeLessThanOrEqual(requestLimits.calls);
    const offered = catalogue.namesFor(callerWith(scope === undefined ? usualScopes : [...usualScopes, scope]));
    const tools = await catalogue.tools();
    for (const [name, given] of calls) {
      expect(offered).toContain(name);
      await expect(tools.get(name)?.check(given)).resolves.toBeDefined();
    }
  },
);

/** Requests that act are not executed here. */
const readRequests = everydayRequests.filter(({ calls }) => calls.every(([name]) => reading.has(name)));

test.each(readRequests.map((request) => [request.asked, request] as const))(
  '"%s" is answered in at most 1,500 tokens',
  async (_asked, { calls, found = [] }) => {
    let tokens = 0;
    let last: unknown;
    for (const [name, given] of calls) {
      const { text, structuredContent } = await answerTo(name, given);
      // Clients show one or the other.
      tokens += Math.max(tokensOf(text), tokensOf(structuredContent));
      last = structuredContent;
    }
    expect(missingIn(last, found)).toEqual([]);
    expect(tokens).toBeLessThanOrEqual(requestLimits.answerTokens);
  },
);

async function answerTo(name: string, given: Record<string, unknown>) {
  // The rate limit is not under test.
  await Bun.sleep(110);
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
  const text: string = JSON.parse(JSON.stringify(content)).at(0)?.text;
  expect({ name, isError, text }).toEqual({ name, isError: undefined, text: expect.any(String) });
  return { text, structuredContent };
}

test('the tool definitions for a usual token take at most 2,000 tokens', async () => {
  const names = catalogue.namesFor(callerWith(usualScopes));
  const tools = [...(await catalogue.tools()).values()].filter(({ definition }) => names.has(definition.name));
  expect(tools.length).toBeGreaterThan(8);
  expect(tokensOf(tools.map(({ definition }) => definitionOf(definition)))).toBeLessThanOrEqual(
    requestLimits.definitionTokens,
  );
});

test.each(modules.map(({ name }) => name))(
  'get_module %s without options is a page of at most 1,500 tokens, with a reason for every null',
  async (module) => {
    const { structuredContent, text } = await answerTo('get_module', { module });
    expect(tokensOf(structuredContent)).toBeLessThanOrEqual(requestLimits.answerTokens);
    // The text is complete, and not a second full copy.
    expect(bytesOf(text)).toBeLessThanOrEqual(bytesOf(structuredContent));
    const { data, why_null } = structuredContent as { data: unknown; why_null?: unknown[] };
    if (JSON.stringify(data).includes('null')) expect(why_null?.length).toBeGreaterThan(0);
  },
);
