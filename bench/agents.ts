/** Whether agents can do what people ask them every day: forty requests, put to a real service. What each costs to read, and what it was before. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Scope } from '../src/access/scopes.ts';
import {
  bytesOf,
  bytesPerToken,
  definitionOf,
  type EverydayRequest,
  everydayRequests,
  missingIn,
  requestLimits,
  tokensOf,
  usualScopes,
} from '../test/harness/agent-requests.ts';
import { median, printTable, verdict } from './harness/figures.ts';
import { pause, type RunningHostler, startHostler } from './harness/harness.ts';
import { countProcesses, fillWithProcesses } from './harness/subject.ts';

/** A token may call ten times a second. */
const pauseMs = 120;
/** The recorder samples every 15 s: then there is a history. */
const recordedMs = 40_000;

interface Row {
  request: EverydayRequest;
  tokens: number;
  both: number;
  outcome: string;
  possible: boolean;
}

await fillWithProcesses(1000);
const hostler = await startHostler('source');
const usual = await connect(hostler, usualScopes);
await ready(usual);
await pause(recordedMs);
const { tools } = await usual.listTools();
const rows: Row[] = [];
for (const request of everydayRequests) rows.push(await withGrant(request));
await report();
await usual.close();
await hostler.stop();
process.exit(rows.every(({ possible }) => possible) && definitionTokens() <= requestLimits.definitionTokens ? 0 : 1);

/** Each grant has its own token: a token may give a power order every 10 s. */
async function withGrant(request: EverydayRequest): Promise<Row> {
  if (request.scope === undefined) return await put(request, usual);
  const granted = await connect(hostler, [...usualScopes, request.scope]);
  const row = await put(request, granted);
  await granted.close();
  return row;
}

async function connect({ port, token }: RunningHostler, scopes: readonly Scope[]): Promise<Client> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/tokens`, {
    method: 'POST',
    headers: { 'X-API-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `agent ${crypto.randomUUID().slice(0, 8)}`, scopes }),
  });
  const secret = ((await answer.json()) as { token: string }).token;
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { Authorization: `Bearer ${secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/api/mcp`), { requestInit }));
  return client;
}

/** The first read of a thousand processes may take longer than the answer timeout. */
async function ready(client: Client): Promise<void> {
  for (;;) {
    const { structuredContent } = await ask(client, 'get_overview', {});
    if (((structuredContent as { top_processes?: unknown[] }).top_processes ?? []).length > 0) return;
  }
}

async function ask(client: Client, name: string, given: Record<string, unknown>) {
  await pause(pauseMs);
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
  const text = String((content as { text?: string }[])[0]?.text);
  return { isError: isError === true, text, structuredContent };
}

async function put(request: EverydayRequest, client: Client): Promise<Row> {
  const { calls, found = [] } = request;
  let [tokens, both, outcome, understood] = [0, 0, '', calls.length <= requestLimits.calls];
  for (const [name, given] of calls) {
    const { isError, text, structuredContent } = await ask(client, name, given);
    // Clients show the text or the structure: the longer one counts. Some show both.
    tokens += Math.max(tokensOf(text), structuredContent === undefined ? 0 : tokensOf(structuredContent));
    both += tokensOf(text) + (structuredContent === undefined ? 0 : tokensOf(structuredContent));
    // What this machine cannot do is said in a sentence; what the tool did not understand would be a mistake of ours.
    const mistaken = isError && /It accepts|lacks the scope|has no field/.test(text);
    const missing = isError ? [] : missingIn(structuredContent, found);
    if (mistaken || (found.length > 0 && missing.length > 0 && name === calls.at(-1)?.[0])) understood = false;
    outcome = isError ? text : found.length > 0 ? 'answered' : 'done';
  }
  return { request, tokens, both, outcome, possible: understood && tokens <= requestLimits.answerTokens };
}

function definitionTokens(): number {
  return tokensOf(tools.map(definitionOf));
}

async function report(): Promise<void> {
  const shorter = (text: string) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
  printTable(
    `Everyday requests, ${countProcesses()} processes, tokens = bytes / ${bytesPerToken}`,
    ['request', 'calls', 'tokens', 'text and structure', 'what came', 'possible'],
    rows.map(({ request: { asked, calls }, tokens, both, outcome, possible }) => [
      asked,
      calls.map(([name, given]) => `\`${name} ${JSON.stringify(given)}\``).join(', '),
      String(tokens),
      String(both),
      shorter(outcome),
      verdict(possible),
    ]),
  );
  const all = rows.map(({ tokens }) => tokens);
  printTable(
    'In short',
    ['what', 'figure', 'goal', 'reached'],
    [
      [
        `definitions of the ${tools.length} tools of a usual token, tokens`,
        String(definitionTokens()),
        `≤ ${requestLimits.definitionTokens}`,
        verdict(definitionTokens() <= requestLimits.definitionTokens),
      ],
      ['the same with the schemas of the answers', String(tokensOf(tools)), '', ''],
      ['instructions, characters', String(usual.getInstructions()?.length), '≤ 500', ''],
      [
        'most calls of a request',
        String(Math.max(...rows.map(({ request }) => request.calls.length))),
        `≤ ${requestLimits.calls}`,
        '',
      ],
      [
        'tokens of a request, median and most',
        `${median(all)}, ${Math.max(...all)}`,
        `≤ ${requestLimits.answerTokens}`,
        verdict(Math.max(...all) <= requestLimits.answerTokens),
      ],
      ['possible', `${rows.filter(({ possible }) => possible).length} of ${rows.length}`, `${rows.length}`, ''],
    ],
  );
  printTable('Bytes of an answer', ['call', 'structure', 'text', 'both'], await sizes());
}

async function sizes(): Promise<string[][]> {
  const calls: [string, Record<string, unknown>][] = [
    ['get_overview', {}],
    ['get_module', { module: 'processes' }],
    ['get_module', { module: 'networks' }],
    ['list_processes', {}],
    ['list_processes', { detail: 'full' }],
    ['list_connections', {}],
  ];
  const lines: string[][] = [];
  for (const [name, given] of calls) {
    const { text, structuredContent } = await ask(usual, name, given);
    const [structure, words] = [bytesOf(structuredContent), bytesOf(text)];
    lines.push([`${name} ${JSON.stringify(given)}`, String(structure), String(words), String(structure + words)]);
  }
  return lines;
}
