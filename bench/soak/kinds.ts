import net from 'node:net';
import { getRequest, type Pool } from '../harness/client.ts';

export interface Target {
  port: number;
  pool: Pool;
  token: string;
  modules: string[];
}

/** One way to ask. `send` resolves with the status, or with what became of the connection. */
export interface Kind {
  name: string;
  /** Out of about a hundred. */
  weight: number;
  expected: string[];
  send(): Promise<string>;
}

/** Power actions are never sent with a good token: this machine shall go on. */
export function kindsOf({ port, pool, token, modules }: Target): Kind[] {
  const good = { 'X-API-Token': token };
  const file = (name: string, secret = token) => `/api/media/file/data?base=home&path=${name}&token=${secret}`;
  const plain = (name: string, weight: number, expected: string[], ...requests: string[]): Kind => {
    let turn = 0;
    return { name, weight, expected, send: () => exchange(port, requests[turn++ % requests.length] ?? '') };
  };
  const json = { ...good, 'Content-Type': 'application/json' };

  return [
    kept(
      'data, kept alive',
      30,
      pool,
      modules.map((name) => [`/api/data/${name}`, good] as const),
    ),
    kept('health and status, kept alive', 10, pool, [
      ['/api/health', {}],
      ['/api', {}],
    ]),
    kept('modules, kept alive', 5, pool, [['/api/modules', good]]),
    kept('documents, kept alive', 1, pool, [
      ['/api/docs', {}],
      ['/api/openapi.json', {}],
    ]),
    plain('data, a connection each', 10, ['200'], ...modules.map((name) => request('GET', `/api/data/${name}`, good))),
    plain('small file', 5, ['200'], request('GET', file('song.mp3'))),
    plain('large file', 1, ['200'], request('GET', file('film.mp4'))),
    plain(
      'ranges',
      8,
      ['206'],
      ...['bytes=0-99', 'bytes=-5000', 'bytes=1000000-4000000', 'bytes=20971519-'].map((Range) =>
        request('GET', file('film.mp4'), { Range }),
      ),
    ),
    plain('ranges behind the end', 2, ['416'], request('GET', file('film.mp4'), { Range: 'bytes=99999999-' })),
    {
      name: 'download broken off',
      weight: 5,
      expected: ['broken off'],
      send: () => breakOff(port, request('GET', file('film.mp4')), 100_000, 0),
    },
    {
      name: 'download not read, then broken off',
      weight: 1,
      expected: ['broken off'],
      send: () => breakOff(port, request('GET', file('film.mp4')), 1, 3000),
    },
    {
      name: 'half a request',
      weight: 2,
      expected: ['broken off'],
      send: () => breakOff(port, 'GET /api/data/memory HTTP/1.1\r\nHost: 127', Number.POSITIVE_INFINITY, 500),
    },
    plain('no token', 2, ['401'], request('GET', '/api/data/memory'), request('POST', '/api/power/lock', {}, '{}')),
    plain(
      'wrong token',
      4,
      ['401', '429'],
      request('GET', '/api/data/memory', { 'X-API-Token': 'wrong' }),
      request('GET', file('song.mp3', 'wrong')),
    ),
    plain(
      'odd paths',
      6,
      ['302', '400', '403', '404'],
      ...[
        '/',
        '/x',
        '/api/data/',
        '/api/data/nothing',
        '/api/data/%00',
        '/api/../secret',
        `/${'long'.repeat(1000)}`,
        '/%zz',
        '//api',
        file('..%2f..%2fetc%2fpasswd'),
        file('none.mp3'),
        file('x.sh'),
      ].map((path) => request('GET', path, good)),
    ),
    plain(
      'foreign pages',
      2,
      ['403'],
      request('GET', '/api/health', { Host: 'evil.example' }),
      request('GET', '/api/health', { Origin: 'http://evil.example' }),
    ),
    plain(
      'wrong methods',
      2,
      ['405'],
      request('POST', '/api/data/memory', json, '{}'),
      request('DELETE', '/api/health'),
      request('PUT', file('song.mp3'), {}, 'x'),
    ),
    plain(
      'bodies',
      4,
      ['400', '401', '413', '415', '429'],
      request('POST', '/api/login', json, '{"code":"000000"}'),
      request('POST', '/api/login', json, 'no json'),
      request('POST', '/api/login', json, JSON.stringify({ code: 'x'.repeat(200_000) })),
      request('POST', '/api/login', json, 'x'.repeat(300_000)),
      request('POST', '/api/login', { 'Content-Type': 'text/plain' }, 'text'),
    ),
    plain('garbage', 1, ['400', '505', 'closed'], '\u0016\u0003\u0001 garbage\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n'),
  ];
}

/** Over connections that are used again. */
function kept(name: string, weight: number, pool: Pool, routes: (readonly [string, Record<string, string>])[]): Kind {
  let turn = 0;
  return {
    name,
    weight,
    expected: ['200'],
    async send() {
      const [path, headers] = routes[turn++ % routes.length] ?? ['/', {}];
      const { status } = await pool.ask(getRequest(path, headers));
      return String(status);
    },
  };
}

const limitMs = 30_000;

function request(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const all = {
    Host: '127.0.0.1',
    Connection: 'close',
    ...headers,
    ...(body === '' ? {} : { 'Content-Length': String(body.length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** A connection for this one request, read to its end. A truncated answer is counted separately. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let head = '';
    let received = 0;
    socket.setTimeout(limitMs, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (head.length < 4096) head += chunk.toString('latin1');
    });
    socket.on('end', () => socket.end());
    // The service may refuse and close before everything was written: what it said counts.
    socket.on('error', (error) => (head === '' ? reject(error) : resolve(outcomeOf(head, received))));
    socket.on('close', () => resolve(outcomeOf(head, received)));
    socket.write(bytes);
  });
}

function outcomeOf(head: string, received: number): string {
  if (head === '') return 'closed';
  const status = head.slice(9, 12);
  const announced = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const body = received - head.indexOf('\r\n\r\n') - 4;
  return body === announced ? status : `${status}, ${body} of ${announced} bytes`;
}

/** Goes away after so many bytes, or after a while in which it reads nothing more. */
function breakOff(port: number, bytes: string, enough: number, waitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = 0;
    const leave = () => {
      if (waitMs === 0) socket.destroy();
      else {
        socket.pause();
        setTimeout(() => socket.destroy(), waitMs);
      }
    };
    if (enough === Number.POSITIVE_INFINITY) setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk: Buffer) => {
      const before = received;
      received += chunk.length;
      if (before < enough && received >= enough) leave();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve('broken off'));
    socket.write(bytes);
  });
}
