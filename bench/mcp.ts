/** What agents cost: the words they have to read, the CPU of a call in both eras of the protocol, and the memory. */
import fs from 'node:fs';
import path from 'node:path';
import { median, printTable, spread, verdict } from './harness/figures.ts';
import {
  availableForms,
  type Form,
  note,
  type RunningHostler,
  startHostler,
  temporaryDirectory,
} from './harness/harness.ts';
import { cpuMs, type Resident, resident } from './harness/process.ts';
import { fillWithProcesses } from './harness/subject.ts';

/** No tokenizer is carried along: of texts like these, one token is about this many bytes (see bench/README.md). */
const bytesPerToken = 4;
const tokens = (value: unknown) =>
  Math.round(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / bytesPerToken);

const rounds = Number(process.argv[2] ?? 5);
/** A token may call 20 times at once; so many of them make one round. */
const clients = 30;
const callsEach = 20;
const warmUps = 3;
const goals = { definitions: 1500, answer: 600, cpuMs: 1 };

async function measure(form: Form): Promise<void> {
  await memoryOf(form);
  const directory = temporaryDirectory();
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  const allowlist = [{ id: 'backup', name: 'Backup', command: '/bin/true', workingDir: '', arguments: [] }];
  fs.writeFileSync(
    path.join(directory, 'config', 'settings.json'),
    JSON.stringify({ commands: { allowlist }, mcp: { commands: ['backup'] } }),
  );
  const hostler = await startHostler(form, { directory });
  const secrets = await makeTokens(hostler);
  const ask = newer(hostler, hostler.token);
  const { tools } = await ask('tools/list', {});
  if (form === 'source') await words(tools, ask);
  const modern = await cpuOf(hostler, secrets, async (secret) => newer(hostler, secret));
  const legacy = await cpuOf(hostler, secrets, (secret) => older(hostler, secret));
  printTable(
    `A call, ${form}`,
    ['tool', '2026-07-28, ms CPU', '2025-11-25, ms CPU', 'goal', 'reached'],
    [...modern].map(([name, values]) => {
      const others = legacy.get(name) ?? [];
      const reached = median(values) <= goals.cpuMs && median(others) <= goals.cpuMs;
      return [name, spread(values, 2), spread(others, 2), `≤ ${goals.cpuMs}`, verdict(reached)];
    }),
  );
  await hostler.stop();
}

/** Without a settings file, as usual: reading one would load the schema library, which agents need as well. */
async function memoryOf(form: Form): Promise<void> {
  const hostler = await startHostler(form);
  const stages: Resident[] = [resident(hostler.pid)];
  const read = () =>
    fetch(`http://127.0.0.1:${hostler.port}/api/data/memory`, { headers: { 'X-API-Token': hostler.token } });
  for (let count = 0; count < 100; count++) await (await read()).text();
  stages.push(resident(hostler.pid));
  const ask = newer(hostler, hostler.token);
  await ask('tools/list', {});
  stages.push(resident(hostler.pid));
  for (const [name, given] of calls) await ask('tools/call', { name, arguments: given });
  stages.push(resident(hostler.pid));
  printTable(
    `Memory, MiB (own), ${form}`,
    ['after start', 'after 100 requests, none by an agent', 'an agent listed the tools', 'and called each'],
    [stages.map(({ total, own }) => `${total.toFixed(1)} (${own.toFixed(1)})`)],
  );
  await hostler.stop();
}

interface ListedTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

async function words(tools: ListedTool[], ask: Ask): Promise<void> {
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const rows: [string, unknown, number | null][] = [
    [`definitions of ${tools.length} tools`, definitions, goals.definitions],
    ...definitions.map((definition): [string, unknown, null] => [definition.name, definition, null]),
  ];
  for (const [name, given] of calls) {
    const { content } = await ask('tools/call', { name, arguments: given });
    const goal = name === 'get_overview' || name === 'list_processes' ? goals.answer : null;
    rows.push([`answer of ${name} ${JSON.stringify(given)}`, content[0]?.text ?? '', goal]);
  }
  printTable(
    'Words, at 1,000 processes',
    ['what', 'bytes', 'tokens (bytes / 4)', 'goal', 'reached'],
    rows.map(([name, value, goal]) => [
      name,
      String(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))),
      String(tokens(value)),
      goal === null ? '' : `≤ ${goal}`,
      goal === null ? '' : verdict(tokens(value) <= goal),
    ]),
  );
}

const calls: [name: string, given: Record<string, unknown>][] = [
  ['get_overview', {}],
  ['list_processes', {}],
  ['list_connections', {}],
  ['get_module', { module: 'memory' }],
];

type Ask = (
  method: string,
  params: Record<string, unknown>,
) => Promise<{ tools: ListedTool[]; content: { text: string }[] }>;

async function cpuOf(
  hostler: RunningHostler,
  secrets: string[],
  connect: (secret: string) => Promise<Ask>,
): Promise<Map<string, number[]>> {
  const figures = new Map<string, number[]>();
  for (const [name, given] of calls) {
    const values: number[] = [];
    // The first rounds warm up and are not counted.
    for (let round = -warmUps; round < rounds; round++) {
      const clientsNow = await Promise.all(secrets.map(connect));
      const started = cpuMs(hostler.pid);
      for (const ask of clientsNow) {
        for (let call = 0; call < callsEach; call++) {
          const { content } = await ask('tools/call', { name, arguments: given });
          if (content[0]?.text.startsWith('Too many') === true) throw new Error('the limit was reached');
        }
      }
      if (round >= 0) values.push((cpuMs(hostler.pid) - started) / (clients * callsEach));
      // All agents together may send 120 messages a second; a round of the older era has 660.
      await Bun.sleep(5500);
    }
    figures.set(name, values);
    note(`${name}: ${spread(values, 2)} ms`);
  }
  return figures;
}

async function makeTokens(hostler: RunningHostler): Promise<string[]> {
  const secrets: string[] = [];
  for (let number = 0; number < clients; number++) {
    const answer = await fetch(`http://127.0.0.1:${hostler.port}/api/tokens`, {
      method: 'POST',
      headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `agent ${number}`, scopes: ['read'] }),
    });
    secrets.push(((await answer.json()) as { token: string }).token);
  }
  return secrets;
}

const common = (secret: string) => ({
  Authorization: `Bearer ${secret}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});

function newer({ port }: RunningHostler, secret: string): Ask {
  let id = 0;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return async (method, params) => {
    id += 1;
    const answer = await fetch(`http://127.0.0.1:${port}/api/mcp`, {
      method: 'POST',
      headers: {
        ...common(secret),
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...('name' in params ? { 'Mcp-Name': String(params.name) } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    });
    return ((await answer.json()) as { result: Awaited<ReturnType<Ask>> }).result;
  };
}

async function older({ port }: RunningHostler, secret: string): Promise<Ask> {
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/api/mcp`, {
      method: 'POST',
      headers: { ...common(secret), ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const protocolVersion = '2025-11-25';
  const clientInfo = { name: 'bench', version: '1' };
  const begun = await post({ id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } });
  const headers = {
    'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': protocolVersion,
  };
  await begun.text();
  await (await post({ method: 'notifications/initialized' }, headers)).text();
  let id = 0;
  return async (method, params) => {
    id += 1;
    const text = await (await post({ id, method, params }, headers)).text();
    const data = text.split('\n').find((line) => line.startsWith('data: ')) ?? '';
    return (JSON.parse(data.slice(6)) as { result: Awaited<ReturnType<Ask>> }).result;
  };
}

await fillWithProcesses(1000);
for (const form of availableForms()) await measure(form);
