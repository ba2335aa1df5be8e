import { createJunk, type Junk } from './junk.ts';
import { sendRaw, toBytes, together } from './raw-http.ts';
import { type Surface, type Target, wrongTokens } from './surface.ts';

const methods = [
  'initialize notifications/initialized ping tools/list tools/call resources/list resources/read resources/templates/list',
  'resources/subscribe resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel server/discover',
  'notifications/cancelled notifications/progress subscriptions/listen sampling/createMessage elicitation/create __proto__',
]
  .join(' ')
  .split(' ');
const versions = ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05', '1999-01-01'];
/** Those that only read. The others are called with a token that may only read. */
const scopes = ['read', 'files'];
const clients = 8;

/** Messages of agents that are wrong in every part, in both eras of the protocol, with streams that are left open or cut off. */
export const mcp: Surface = {
  name: 'mcp',
  by: 'caller',
  expected: [wrongTokens, /access: \d+ connections are more than this service takes/],
  async throwJunk(target) {
    const tokens = await Promise.all(Array.from({ length: clients }, (_, number) => makeToken(target, number)));
    const tools = await toolsOf(target, tokens[0] ?? '');
    const sessions: string[] = [];
    await together(clients, target, async (number) => {
      const junk = createJunk(target.seed + 1000 * number + target.junk.below(1e6));
      const token = junk.chance(0.95) ? (tokens[number] ?? '') : junk.text().slice(0, 60);
      const received = await sendRaw(
        target,
        messageOf(junk, token, tools, sessions, target),
        junk.chance(0.1) ? 1500 : 300,
      );
      const [, session] = /^mcp-session-id: (\S+)/im.exec(received) ?? [];
      if (session !== undefined) sessions.push(session);
      if (sessions.length > 50) sessions.shift();
    });
  },
};

async function makeToken({ hostler }: Target, number: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${hostler.port}/api/tokens`, {
    method: 'POST',
    headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `fuzz ${number}`, scopes }),
  });
  const made: unknown = await response.json();
  return typeof made === 'object' && made !== null && 'token' in made ? String(made.token) : '';
}

async function toolsOf(target: Target, token: string): Promise<string[]> {
  const junk = createJunk(1);
  const bytes = post(
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: metaOf('2026-07-28') } },
    token,
    target,
    [
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', 'tools/list'],
    ],
  );
  const received = await sendRaw(target, bytes, 5000);
  const names = [...received.matchAll(/"name":"([a-z_]+)"/g)].map(([, name = '']) => name);
  return [...new Set(names), junk.text()];
}

const metaOf = (version: unknown) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

function post(message: unknown, token: string, { hostler }: Target, more: [string, string][], method = 'POST'): Buffer {
  const body = method === 'POST' ? (typeof message === 'string' ? message : (JSON.stringify(message) ?? '')) : '';
  const headers: [string, string][] = [
    ['Host', `127.0.0.1:${hostler.port}`],
    ['Authorization', `Bearer ${token.replace(/[\r\n]/g, '')}`],
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...more,
  ];
  return toBytes({ method, target: '/api/mcp', headers, body });
}

function messageOf(junk: Junk, token: string, tools: string[], sessions: string[], target: Target): Buffer {
  const version = junk.pick(versions);
  const method = junk.chance(0.95) ? junk.pick(methods) : junk.text();
  const name = junk.pick(tools);
  const params: Record<string, unknown> = junk.chance(0.8)
    ? {
        name,
        arguments: junk.object(),
        uri: `hostler://${junk.text().slice(0, 50)}`,
        protocolVersion: version,
        capabilities: junk.object(1),
        clientInfo: { name: 'x', version: '1' },
      }
    : junk.object();
  if (junk.chance(0.7)) params._meta = junk.chance(0.9) ? metaOf(version) : junk.value();
  const message: Record<string, unknown> = {
    jsonrpc: '2.0',
    id: junk.chance(0.9) ? junk.below(1000) : junk.value(1),
    method,
    params,
  };
  for (const key of Object.keys(message)) if (junk.chance(0.04)) delete message[key];
  const json =
    JSON.stringify(junk.chance(0.05) ? [message, message] : junk.chance(0.05) ? junk.value() : message) ?? '';
  const oneLine = (text: string) => text.replace(/[\r\n]/g, '').slice(0, 200);
  const headers: [string, string][] = [];
  if (junk.chance(0.8)) headers.push(['MCP-Protocol-Version', junk.chance(0.9) ? version : oneLine(junk.text())]);
  if (junk.chance(0.7)) headers.push(['Mcp-Method', oneLine(method)], ['Mcp-Name', oneLine(name)]);
  if (junk.chance(0.4))
    headers.push([
      'Mcp-Session-Id',
      sessions.length > 0 && junk.chance(0.8) ? junk.pick(sessions) : oneLine(junk.text()),
    ]);
  if (junk.chance(0.05)) headers.push(['Last-Event-ID', oneLine(junk.text())]);
  const verb = junk.chance(0.9) ? 'POST' : junk.pick(['GET', 'DELETE', 'PUT']);
  return post(junk.chance(0.95) ? json : junk.mangle(json), token, target, headers, verb);
}
