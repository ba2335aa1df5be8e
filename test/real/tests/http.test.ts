import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

let hostler: RunningHostler;
beforeAll(async () => {
  hostler = await startHostler();
});
afterAll(async () => {
  expect(await hostler.stop()).toBe(0);
});

const errorOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/json');
  const body: unknown = await response.json();
  expect(Object.keys(body as object)).toEqual(['error']);
  return (body as { error: string }).error;
};
const statusOf = (raw: string) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(raw)?.[1]);
const post = (route: string, init: RequestInit = {}, token = hostler.token) =>
  fetch(`${hostler.base}${route}`, { method: 'POST', ...init, headers: { 'X-API-Token': token, ...init.headers } });

describe('without a token', () => {
  test('GET /api confirms that the service runs', async () => {
    const response = await hostler.get('/api', {});
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(body).toEqual({ status: 'success', message: expect.any(String), data: {} });
  });

  test('GET /api/health has the time in UTC and the version', async () => {
    const body = (await (await hostler.get('/api/health', {})).json()) as Record<string, string>;
    expect(Object.keys(body).sort()).toEqual(['status', 'timestamp', 'version']);
    expect(body.status).toBe('healthy');
    expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.version).toBe('6.0.0');
  });

  test('the API document is OpenAPI 3.1 and lists every path that answers', async () => {
    const document = (await (await hostler.get('/api/openapi.json', {})).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toBe('3.1.0');
    for (const [route, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        const response = await fetch(`${hostler.base}${route.replace('{id}', '1')}`, { method: method.toUpperCase() });
        expect({ route, method, found: response.status !== 404 && response.status !== 405 }).toEqual({
          route,
          method,
          found: true,
        });
      }
    }
  });

  test('the API page contacts no other host', async () => {
    const response = await hostler.get('/api/docs', {});
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toStartWith("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('/api/data/memory');
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page).not.toContain('<script');
  });

  test.each(['/', '/processes', '/some/page'])('%s is the dashboard, which selects its view', async (route) => {
    const response = await hostler.get(route, {});
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toStartWith("default-src 'none'");
    expect(await response.text()).toContain('<div id="app">');
  });

  test('every action reports whether it is available, and whether this token may call it', async () => {
    const actions = (await (await hostler.get('/api/actions')).json()) as Record<string, unknown>[];
    const names = actions.map(({ name }) => name);
    expect(names).toContain('power.lock');
    expect(names).toContain('files.list');
    for (const { name, available, reason, allowed } of actions) {
      expect({ name, allowed, explained: available === (reason === null) }).toEqual({
        name,
        allowed: true,
        explained: true,
      });
    }
    expect((await hostler.get('/api/actions', {})).status).toBe(401);
  });
});

describe('data', () => {
  test.each(['X-API-Token', 'token', 'Authorization'])('a module accepts the token in %s', async (header) => {
    const response = await hostler.get('/api/data/memory', {
      [header]: header === 'Authorization' ? `Bearer ${hostler.token}` : hostler.token,
    });
    expect(response.status).toBe(200);
    const body = (await response.json()) as { virtual: { total: number } };
    expect(body.virtual.total).toBeGreaterThan(1_000_000);
  });

  test('every module either answers or gives the reason', async () => {
    const modules = (await (await hostler.get('/api/modules')).json()) as {
      name: string;
      availability: string;
      reasons: object[];
    }[];
    for (const { name, availability, reasons } of modules) {
      const response = await hostler.get(`/api/data/${name}`);
      if (response.status === 200) continue;
      expect({ name, status: response.status, availability }).toEqual({
        name,
        status: 404,
        availability: 'unavailable',
      });
      expect(await errorOf(response)).toContain('not available');
      expect(reasons.length).toBeGreaterThan(0);
    }
  });

  test('every null of a module on this machine has a reason', async () => {
    const { unexplained } = await import('../../harness/machines.ts');
    for (const { name, reasons } of (await (await hostler.get('/api/modules')).json()) as {
      name: string;
      reasons: [];
    }[]) {
      const response = await hostler.get(`/api/data/${name}`);
      if (response.status === 200)
        expect({ name, unexplained: unexplained(await response.json(), reasons) }).toEqual({ name, unexplained: [] });
    }
  });

  test('HEAD is GET without the body', async () => {
    const answer = await hostler.raw(
      `HEAD /api/data/memory HTTP/1.1\r\nHost: localhost\r\nX-API-Token: ${hostler.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(200);
    expect(answer.toLowerCase()).toMatch(/content-length: [1-9]/);
    expect(answer).toEndWith('\r\n\r\n');
  });

  test('a missing token is 401, with a JSON error', async () => {
    const response = await hostler.get('/api/data/memory', {});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="hostler"');
    expect(await errorOf(response)).toContain('A token is needed');
  });

  test('a wrong token is 401; of two different tokens one valid is enough', async () => {
    expect((await hostler.get('/api/data/memory', { token: 'wrong' })).status).toBe(401);
    expect((await hostler.get('/api/data/memory', { token: 'wrong', 'X-API-Token': hostler.token })).status).toBe(200);
    expect((await hostler.get('/api/data/memory', { token: hostler.token, 'X-API-Token': 'wrong' })).status).toBe(200);
    expect((await hostler.get('/api/data/memory', { Authorization: 'Basic eA==', token: hostler.token })).status).toBe(
      200,
    );
  });

  test('a token in the query is ignored', async () => {
    expect((await hostler.get(`/api/data/memory?token=${hostler.token}`, {})).status).toBe(401);
  });

  test.each([
    'nonsense',
    'MEMORY',
    'memory.json',
    '%6demory%00',
    '%zz',
    '..%2fhealth',
    'memory/x',
    '__proto__',
    'constructor',
    '💥',
    'a'.repeat(2000),
  ])('the unknown module %j is 404 with an error message', async (name) => {
    const answer = await hostler.raw(
      Buffer.from(
        `GET /api/data/${name} HTTP/1.1\r\nHost: localhost\r\nX-API-Token: ${hostler.token}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(statusOf(answer)).toBe(404);
    expect(answer).toContain('{"error":');
  });

  test('a missing module name is 400', async () => {
    expect((await hostler.get('/api/data/')).status).toBe(400);
    expect((await hostler.get('/api/data')).status).toBe(400);
  });
});

describe('paths and methods', () => {
  test.each([
    '/api/nothing',
    '/api/',
    '/information',
    '/.well-known/openid-configuration',
    '/register',
    '/authorize',
    '/token',
    '/favicon.ico',
    '/no/such/file.js',
  ])('%s is a JSON 404', async (route) => {
    const response = await hostler.get(route);
    expect(response.status).toBe(404);
    await errorOf(response);
  });

  test.each([
    ['POST', '/api', 'GET, HEAD'],
    ['DELETE', '/api/data/memory', 'GET, HEAD'],
    ['GET', '/api/power/sleep', 'POST'],
    ['PATCH', '/api/tokens', 'GET, HEAD, POST, DELETE'],
    ['OPTIONS', '/api/health', 'GET, HEAD'],
  ])('%s %s is 405 and lists what is allowed', async (method, route, allow) => {
    const response = await fetch(`${hostler.base}${route}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    await errorOf(response);
  });

  test('dots in a path reach only listed routes', async () => {
    const answer = await hostler.raw(`GET /api/../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain('<div id="app">');
    expect(answer).not.toContain('root:');
    const around = await hostler.raw(
      `GET /x/../api/data/memory HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(around)).toBe(401);
  });
});

describe('power, where there is no logind', () => {
  test.each(['sleep', 'hibernate', 'restart', 'shutdown', 'lock', 'logout'])(
    '%s is 401 without a token, and 501 with one',
    async (verb) => {
      expect((await fetch(`${hostler.base}/api/power/${verb}`, { method: 'POST' })).status).toBe(401);
      const response = await post(`/api/power/${verb}`);
      expect(response.status).toBe(501);
      expect(await errorOf(response)).toContain(`power.${verb} is not supported`);
    },
  );

  test('a token without the scope is 403 and learns nothing else', async () => {
    const { token } = (await (await post('/api/tokens', json({ name: 'reader', scopes: ['read'] }))).json()) as {
      token: string;
    };
    const response = await post('/api/power/shutdown', json({ delay: 'x' }), token);
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toBe(
      'The token "reader" lacks the scope "power"; "hostler token change reader --add-scope power" on the machine grants it',
    );
    expect((await post('/api/power/lock', {}, token)).status).toBe(403);
    expect((await hostler.get('/api/data/memory', { token })).status).toBe(200);
  });

  test.each([
    ['a delay that is no number', { delay: 'soon' }, 400],
    ['a delay beyond an hour', { delay: 3601 }, 400],
    ['a negative delay', { delay: -1 }, 400],
    ['null, which means absent', { delay: null, force: null }, 501],
    ['unknown keys, which are dropped', { delay: 1, colour: 'red' }, 501],
  ])('%s', async (_name, body, status) => {
    expect((await post('/api/power/sleep', json(body))).status).toBe(status);
  });
});

describe('bodies', () => {
  test('invalid JSON is 400, a wrong content type is 415', async () => {
    const headers = { 'Content-Type': 'application/json' };
    for (const body of ['{', 'nonsense', '[1]', '"x"', '7', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const response = await post('/api/power/sleep', { body, headers });
      expect(response.status).toBe(400);
      await errorOf(response);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      const response = await post('/api/power/sleep', { body: '{}', headers: { 'Content-Type': type } });
      expect(response.status).toBe(415);
      await errorOf(response);
    }
    expect(
      (await post('/api/power/sleep', { body: '{}', headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } }))
        .status,
    ).toBe(501);
  });

  test('a body of 10 MiB is refused by its declared length, before it is read', async () => {
    const answer = await hostler.raw(
      `POST /api/power/sleep HTTP/1.1\r\nHost: localhost\r\nX-API-Token: ${hostler.token}\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n{`,
    );
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain('{"error":"A body has at most 262144 bytes"}');
  });

  test('a body without a length is refused when it has become too large', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await hostler.raw(
      `POST /api/power/sleep HTTP/1.1\r\nHost: localhost\r\nX-API-Token: ${hostler.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(413);
  });

  test('a real 10 MiB body is 413 and the service continues', async () => {
    const response = await post('/api/power/sleep', {
      body: Buffer.alloc(10 * 1024 * 1024, ' '),
      headers: { 'Content-Type': 'application/json' },
    }).catch(() => null);
    if (response !== null) expect(response.status).toBe(413);
    expect((await hostler.get('/api/health', {})).status).toBe(200);
  });
});

describe('pages of other origins', () => {
  const ask = (headers: string, route = '/api/health') =>
    hostler.raw(`GET ${route} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);

  test('a foreign Origin is 403 everywhere, also with a valid token', async () => {
    for (const route of [
      '/api',
      '/api/health',
      '/api/data/memory',
      '/api/docs',
      '/api/nothing',
      '/',
      '/api/media/file/data?base=home&path=a.txt&token=x',
    ]) {
      const response = await hostler.get(route, { 'X-API-Token': hostler.token, Origin: 'http://evil.example' });
      expect({ route, status: response.status }).toEqual({ route, status: 403 });
      expect(await errorOf(response)).toContain('security.allowedOrigins');
    }
  });

  test('cannot embed anything, and no response shows them that the service exists', async () => {
    const document = (await (await hostler.get('/api/openapi.json', {})).json()) as { paths: Record<string, object> };
    const routes = [
      '/',
      '/icon-192.png',
      '/nothing.png',
      '/api/websocket',
      '/api/docs',
      ...Object.keys(document.paths),
    ];
    const embedded = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    for (const route of routes) {
      for (const headers of [{}, embedded] as Record<string, string>[]) {
        const { status, headers: sent } = await hostler.get(route, headers);
        expect([route, sent.get('cross-origin-resource-policy')]).toEqual([route, 'same-origin']);
        if (headers === embedded && !route.startsWith('/api/media/file/data'))
          expect([route, status]).toEqual([route, 403]);
      }
    }
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await hostler.get('/api/docs', link)).status).toBe(200);
  });

  test('our own Origin passes, and no CORS header is sent', async () => {
    const response = await hostler.get('/api/health', { Origin: hostler.base });
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('a page listed in security.allowedOrigins is allowed, with CORS headers', async () => {
    await using own = await startHostler({
      prepare(directory) {
        fs.mkdirSync(path.join(directory, 'config'));
        fs.writeFileSync(
          path.join(directory, 'config', 'settings.json'),
          '{"security":{"allowedOrigins":["https://dash.example/"]}}',
        );
      },
    });
    try {
      const origin = { Origin: 'https://dash.example' };
      const preflight = await fetch(`${own.base}/api/data/memory`, {
        method: 'OPTIONS',
        headers: { ...origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'x-api-token' },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('https://dash.example');
      expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-Token');
      for (const [headers, status] of [
        [{ ...origin, token: own.token }, 200],
        [{ ...origin, token: own.token, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }, 200],
        [origin, 401],
      ] as const) {
        const response = await own.get('/api/data/memory', headers);
        expect(response.status).toBe(status);
        expect(response.headers.get('access-control-allow-origin')).toBe('https://dash.example');
        expect(response.headers.get('vary')).toContain('Origin');
      }
      expect((await own.get('/api/data/memory', { Origin: 'https://evil.example', token: own.token })).status).toBe(
        403,
      );
    } finally {
      await own.stop();
    }
  });

  test('a foreign Host is 403 (DNS rebinding), a duplicate one too', async () => {
    expect(statusOf(await ask(`Host: evil.example:${hostler.port}`))).toBe(403);
    expect(statusOf(await ask('Host: localhost\r\nHost: evil.example'))).toBe(403);
    expect(statusOf(await ask('Host: localhost'))).toBe(200);
  });
});

describe('tokens over HTTP', () => {
  test('a token is created, listed without its secret, used and revoked', async () => {
    const created = await post('/api/tokens', json({ name: 'panel', scopes: ['read'] }));
    expect(created.status).toBe(201);
    const { token, id } = (await created.json()) as { token: string; id: string };
    const list = await (await hostler.get('/api/tokens')).text();
    expect(list).toContain('"panel"');
    expect(list).not.toContain(token);
    expect((await hostler.get('/api/data/memory', { token })).status).toBe(200);
    expect((await hostler.get('/api/tokens', { token })).status).toBe(403);
    expect(
      (await fetch(`${hostler.base}/api/tokens`, { method: 'DELETE', ...json({ id }, hostler.token) })).status,
    ).toBe(200);
    expect((await hostler.get('/api/data/memory', { token })).status).toBe(401);
  });

  test('a token cannot grant scopes it does not have', async () => {
    const admin = (await (await post('/api/tokens', json({ name: 'admin2', scopes: ['admin'] }))).json()) as {
      token: string;
    };
    expect((await post('/api/tokens', json({ name: 'mighty', scopes: ['power'] }), admin.token)).status).toBe(403);
    expect((await post('/api/tokens', json({ name: 'odd', scopes: ['root'] }))).status).toBe(400);
    expect((await post('/api/tokens', json({ name: 'panel2', scopes: [] }))).status).toBe(400);
  });

  test('behind a proxy tokens cannot be managed', async () => {
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via', 'X-Forwarded-Host', 'X-Forwarded-User']) {
      expect((await hostler.get('/api/tokens', { 'X-API-Token': hostler.token, [header]: '192.0.2.9' })).status).toBe(
        403,
      );
    }
  });

  test('a token revoked at the command line is refused by the next request', async () => {
    const { token } = (await (await post('/api/tokens', json({ name: 'visitor', scopes: ['read'] }))).json()) as {
      token: string;
    };
    expect((await hostler.get('/api/data/memory', { token })).status).toBe(200);
    expect((await runHostler(['token', 'revoke', 'visitor'], { directory: hostler.directory })).code).toBe(0);
    expect((await hostler.get('/api/data/memory', { token })).status).toBe(401);
  });

  test('a login code that was never issued is refused', async () => {
    const response = await fetch(`${hostler.base}/api/login`, { method: 'POST', ...json({ code: 'guess' }) });
    expect(response.status).toBe(401);
    await errorOf(response);
  });
});

test('after ten wrong tokens the right one passes, and further wrong ones get 429', async () => {
  await using own = await startHostler();
  try {
    for (let count = 0; count < 10; count += 1)
      expect((await own.get('/api/data/memory', { token: `wrong${count}` })).status).toBe(401);
    const shut = await own.get('/api/data/memory', { token: 'wrong' });
    expect(shut.status).toBe(429);
    expect(Number(shut.headers.get('retry-after'))).toBeGreaterThan(0);
    await errorOf(shut);
    expect((await own.get('/api/data/memory')).status).toBe(200);
    expect((await own.get('/api/data/memory', {})).status).toBe(401);
    expect(own.output()).not.toContain(own.token);
  } finally {
    await own.stop();
  }
});

describe('what the HTTP parser of the runtime handles: the service survives and still answers', () => {
  const stillAnswers = async () => expect((await hostler.get('/api/health', {})).status).toBe(200);

  test('HTTP/1.0', async () => {
    expect(statusOf(await hostler.raw('GET /api/health HTTP/1.0\r\n\r\n'))).toBe(200);
    await stillAnswers();
  });

  test('pipelined requests', async () => {
    const one = 'GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const answer = await hostler.raw(one.repeat(20));
    expect(answer.match(/"status":"success"/g)?.length).toBe(20);
    await stillAnswers();
  });

  test('a header of 1 MiB', async () => {
    await hostler.raw(`GET /api HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(1 << 20)}\r\n\r\n`);
    await stillAnswers();
  });

  test('garbage', async () => {
    for (const bytes of [
      '\0\0\0\0',
      '\x16\x03\x01\x02\x00',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `${'A'.repeat(100_000)}\r\n`,
      'GET /api HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    ]) {
      await hostler.raw(bytes, 300);
    }
    await stillAnswers();
  });

  test('slow headers', async () => {
    const sockets = Array.from({ length: 50 }, () => net.connect(hostler.port, '127.0.0.1').on('error', () => {}));
    for (const socket of sockets) socket.write('GET /api HTTP/1.1\r\nHost: loc');
    await stillAnswers();
    for (const socket of sockets) socket.destroy();
  });

  test('1,000 idle connections', async () => {
    const sockets = Array.from({ length: 1000 }, () => net.connect(hostler.port, '127.0.0.1').on('error', () => {}));
    await until(() => (sockets.every(({ connecting }) => !connecting) ? true : null));
    await stillAnswers();
    expect((await hostler.get('/api/data/memory')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => (fs.readdirSync(`/proc/${hostler.pid}/fd`).length < 200 ? true : null));
  });
});

describe('settings of a running service', () => {
  test('a changed file takes effect at once; a broken one is reported and not modified', async () => {
    await using own = await startHostler();
    try {
      const foreign = () => own.raw('GET /api/health HTTP/1.1\r\nHost: pc.example.org\r\nConnection: close\r\n\r\n');
      expect(statusOf(await foreign())).toBe(403);
      const { code } = await runHostler(['settings', 'set', 'security.allowedHosts', '["pc.example.org"]'], {
        directory: own.directory,
      });
      expect(code).toBe(0);
      await until(async () => (statusOf(await foreign()) === 200 ? true : null));
      const file = path.join(own.directory, 'config', 'settings.json');
      fs.writeFileSync(file, '{ "security": ');
      await until(() => (own.output().includes('is broken') ? true : null));
      expect(statusOf(await foreign())).toBe(200);
      expect(fs.existsSync(file)).toBe(true);
    } finally {
      await own.stop();
    }
  });
});

function json(body: unknown, token?: string): { body: string; headers: Record<string, string> } {
  return {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { 'X-API-Token': token }) },
  };
}
