import { createJunk, type Junk } from './junk.ts';
import { type RawRequest, sendRaw, toBytes, together } from './raw-http.ts';
import { type Surface, type Target, wrongTokens } from './surface.ts';

/** Never with a token: they would do it. */
const neverWithToken = /power|exit|keyboard|command|pair|tokens|login/;

/** Requests that are wrong in every part: line, headers, length, body, and how they are cut. */
export const http: Surface = {
  name: 'http',
  by: 'caller',
  expected: [wrongTokens, /access: \d+ connections are more than this service takes/],
  async throwJunk(target) {
    const routes = await routesOf(target);
    await together(8, target, async (number) => {
      const junk = createJunk(target.seed + 1000 * number + target.junk.below(1e6));
      for (let count = 0; count < 50 && !target.isOver(); count++)
        await sendRaw(target, oneOf(junk, routes, target), 400);
    });
  },
};

async function routesOf({ hostler: { port } }: Target): Promise<string[]> {
  const document: unknown = await (await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).json();
  const paths = typeof document === 'object' && document !== null && 'paths' in document ? document.paths : {};
  return [
    ...Object.keys(paths ?? {}),
    '/',
    '/files/x',
    '/metrics',
    '/api/websocket',
    '/api/mcp',
    '/.well-known/x',
    '*',
  ];
}

function oneOf(junk: Junk, routes: string[], { hostler }: Target): Uint8Array {
  const request = requestOf(junk, routes, hostler);
  const bytes = toBytes(request);
  if (junk.chance(0.05)) return junk.bytes(junk.below(300));
  if (junk.chance(0.05)) return bytes.subarray(0, junk.below(bytes.length));
  if (junk.chance(0.05)) return Buffer.concat(Array.from({ length: 1 + junk.below(20) }, () => bytes));
  if (junk.chance(0.05)) return Buffer.from(junk.mangle(bytes.toString('latin1')), 'latin1');
  return bytes;
}

function requestOf(junk: Junk, routes: string[], { port, token }: Target['hostler']): RawRequest {
  const route = junk.pick(routes);
  const path = junk.chance(0.85) ? route : junk.mangle(route).replace(/[\r\n ]/g, '%20');
  const body = bodyOf(junk);
  const headers: [string, string][] = [['Host', junk.chance(0.95) ? `127.0.0.1:${port}` : junk.text()]];
  if (!neverWithToken.test(path) && junk.chance(0.6)) headers.push([junk.pick(['X-API-Token', 'Token']), token]);
  else if (junk.chance(0.3)) headers.push(['Authorization', `${junk.pick(['Bearer', 'Basic', ''])} ${junk.text()}`]);
  if (body.length > 0 || junk.chance(0.1)) headers.push(...lengthOf(junk, body));
  if (junk.chance(0.8)) headers.push(['Content-Type', junk.chance(0.9) ? 'application/json' : junk.text()]);
  while (junk.chance(0.3)) headers.push(oddHeader(junk));
  const method = junk.chance(0.9)
    ? junk.pick(['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
    : junk.text().slice(0, 20);
  return { method, target: path + queryOf(junk, path, token), headers, body };
}

function bodyOf(junk: Junk): string {
  if (junk.chance(0.4)) return '';
  const json = JSON.stringify(junk.value()) ?? '';
  return junk.chance(0.8) ? json : junk.mangle(json);
}

function lengthOf(junk: Junk, body: string): [string, string][] {
  const length = String(Buffer.byteLength(body));
  return junk.pick<() => [string, string][]>([
    ...Array(8).fill(() => [['Content-Length', length]]),
    () => [['Content-Length', junk.pick(['-1', '1e3', '99999999999999999999', '0x10', '', '5, 5'])]],
    () => [['Transfer-Encoding', junk.pick(['chunked', 'gzip, chunked', 'chunked, identity', junk.text()])]],
    () => [
      ['Content-Length', length],
      ['Transfer-Encoding', 'chunked'],
    ],
  ])();
}

function queryOf(junk: Junk, path: string, token: string): string {
  if (path === '/api/media/file/data')
    return `?token=${junk.chance(0.8) ? token : 'x'}&base=${encodeURIComponent(junk.chance(0.5) ? 'home' : junk.text().slice(0, 200).toWellFormed())}&path=${encodeURIComponent(junk.text().slice(0, 500).toWellFormed())}`;
  if (junk.chance(0.8)) return '';
  const pairs = Array.from({ length: junk.below(5) }, () => [
    junk.text().slice(0, 30).toWellFormed(),
    junk.text().slice(0, 100).toWellFormed(),
  ]);
  return `?${junk.chance(0.7) ? new URLSearchParams(pairs) : junk.text().replace(/[\r\n ]/g, '')}`;
}

const oddHeaders: Record<string, string[]> = {
  Range: ['bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,1-1', 'bytes=99999999999999-', 'x'],
  Origin: ['null', 'http://evil.example', 'http://127.0.0.1', 'file://'],
  'Accept-Encoding': ['br;q=0', 'gzip, br', '*;q=0'],
  'If-None-Match': ['*', '"x"'],
  'If-Modified-Since': ['x', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Expect: ['100-continue'],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['close', 'Upgrade', 'keep-alive, close'],
  'X-Forwarded-For': ['127.0.0.1'],
  'Access-Control-Request-Method': ['POST', 'x'],
  'Service-Worker': ['script'],
  Accept: ['text/plain;q=0', 'application/openmetrics-text; version=1.0.0', '*/*;q=x'],
};

function oddHeader(junk: Junk): [string, string] {
  const name = junk.pick(Object.keys(oddHeaders));
  return [junk.chance(0.95) ? name : junk.text(), junk.chance(0.8) ? junk.pick(oddHeaders[name] ?? ['']) : junk.text()];
}
