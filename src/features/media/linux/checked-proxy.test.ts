import { afterEach, expect, test } from 'bun:test';
import { openStream } from '../../../host/outgoing.ts';
import { type CheckedProxyParts, openCheckedProxy } from './checked-proxy.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A server that says what it was asked for, with a body longer than a socket takes at once. */
function web() {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { host, pathname, search } = new URL(request.url);
      asked.push(`${request.method} ${host}${pathname}${search}`);
      return pathname === '/there' ? Response.redirect('http://private.example/') : new Response('x'.repeat(4_000_000));
    },
  });
  open.push({ close: () => void server.stop(true) });
  return { asked, port: server.port ?? 0 };
}

function proxy(given: Partial<CheckedProxyParts> = {}) {
  const made = openCheckedProxy({
    connect: openStream,
    lookUp: async (host) => [host === 'private.example' ? '127.0.0.9' : '127.0.0.1'],
    isRefused: (address) => address === '127.0.0.9',
    isOurPeer: async () => true,
    ...given,
  });
  open.push(made);
  return { ...made, url: `http://127.0.0.1:${made.port}` };
}

test('a request goes on to the address that was checked, with the path only', async () => {
  const { asked, port } = web();
  const response = await fetch(`http://radio.example:${port}/a?b=c`, { proxy: proxy().url });
  expect((await response.text()).length).toBe(4_000_000);
  expect(asked).toEqual([`GET radio.example:${port}/a?b=c`]);
});

test('of the addresses of a name, one that is refused and one that does not answer are left out', async () => {
  const { asked, port } = web();
  const tried: string[] = [];
  const { url } = proxy({
    lookUp: async () => ['127.0.0.9', '192.0.2.1', '127.0.0.1'],
    connect(target, ...more) {
      tried.push(target.host);
      return target.host === '192.0.2.1' ? Promise.reject(new Error('no route')) : openStream(target, ...more);
    },
  });
  expect((await fetch(`http://radio.example:${port}/`, { proxy: url })).status).toBe(200);
  expect([tried, asked.length]).toEqual([['192.0.2.1', '127.0.0.1'], 1]);
});

test('a name or a redirect that leads to a refused address ends at the proxy', async () => {
  const { asked, port } = web();
  const { url } = proxy();
  expect((await fetch(`http://private.example:${port}/`, { proxy: url })).status).toBe(403);
  expect((await fetch(`http://radio.example:${port}/there`, { proxy: url })).status).toBe(403);
  expect(asked).toEqual([`GET radio.example:${port}/there`]);
});

/** What the proxy answers to these bytes, until it closes the connection or has sent a whole head. */
async function answerTo(port: number, text: string, more = ''): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = '';
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => void socket.write(text),
      data(socket, bytes) {
        answer += bytes.toString();
        if (answer.endsWith('established\r\n\r\n') && more !== '') socket.write(more);
        else if (answer.includes('xxx') || !answer.includes('established')) socket.terminate();
      },
      close: () => resolve(answer),
    },
  });
  return await promise;
}

test('a tunnel carries bytes both ways, and not to a refused address', async () => {
  const { asked, port } = web();
  const made = proxy();
  const request = 'GET /b HTTP/1.1\r\nHost: radio.example\r\n\r\n';
  const tunnelled = await answerTo(made.port, `CONNECT radio.example:${port} HTTP/1.1\r\n\r\n`, request);
  expect(tunnelled).toStartWith('HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK');
  expect(asked).toEqual(['GET radio.example/b']);
  expect(await answerTo(made.port, 'CONNECT private.example:443 HTTP/1.1\r\n\r\n')).toStartWith('HTTP/1.1 403 ');
});

test('only the first request of a connection goes on, whatever comes with it or later', async () => {
  const sent: string[] = [];
  const { port } = proxy({
    connect: async (_target, events) => ({
      send(bytes) {
        sent.push(Buffer.from(bytes).toString());
        events.data(Buffer.from('established\r\n\r\n'));
      },
      pause() {},
      resume() {},
      close() {},
      waiting: () => 0,
    }),
  });
  const other = 'GET / HTTP/1.1\r\nHost: other.example\r\n\r\n';
  await answerTo(port, `GET http://radio.example/a HTTP/1.1\r\n\r\n${other}`, other);
  expect(sent).toEqual(['GET /a HTTP/1.1\r\nConnection: close\r\n\r\n']);
});

test('other users, requests to the proxy itself and endless heads get nothing', async () => {
  const { asked, port } = web();
  const foreign = proxy({ isOurPeer: async () => false });
  expect(await answerTo(foreign.port, `GET http://radio.example:${port}/ HTTP/1.1\r\n\r\n`)).toBe('');
  expect(await answerTo(proxy().port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toStartWith('HTTP/1.1 400 ');
  expect(await answerTo(proxy().port, 'x'.repeat(20_000))).toBe('');
  expect(asked).toEqual([]);
});
