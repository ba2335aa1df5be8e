import { afterEach, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClock } from '../../../host/clock.ts';
import { openStream } from '../../../host/outgoing.ts';
import { createScratch } from '../../../host/scratch.ts';
import { type FetchHost, fetchSound } from './fetch-sound.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

const own = '192.0.2.9';

/** Every address leads to this server, but for those that are refused before. */
function machine(answer: (request: Request) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(request.headers.get('host') ?? '');
      return answer(request);
    },
  });
  const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-sound-'));
  const scratch = createScratch(
    runtime,
    () => false,
    () => null,
  );
  cleanups.push(() => {
    void server.stop(true);
    scratch.close();
    fs.rmSync(runtime, { recursive: true });
  });
  const host: FetchHost = {
    scratch,
    clock: createClock(),
    foreignAddresses: async (name) => (name === own ? [] : [name]),
    connect: (target, ...more) => openStream({ ...target, host: '127.0.0.1', port: server.port ?? 0 }, ...more),
  };
  const fetchIt = (url: string) => fetchSound(host, url, new AbortController().signal);
  return { asked, fetchIt, host, files: () => fs.readdirSync(runtime, { recursive: true }).length };
}

test('a sound becomes a file', async () => {
  const { asked, fetchIt } = machine(() => new Response('RIFF'));
  const file = await fetchIt('http://192.0.2.1/bell.wav');
  expect([fs.readFileSync(file, 'utf8'), ...asked]).toEqual(['RIFF', '192.0.2.1']);
});

test.each([
  ['http://127.0.0.1:9170/', 'forbidden'],
  ['http://169.254.169.254/latest', 'forbidden'],
  ['https://127.0.0.1/', 'forbidden'],
  [`http://${own}/`, 'forbidden'],
  ['http://[::1]/', 'forbidden'],
  ['file:///etc/passwd', 'failed'],
  ['data:audio/wav,x', 'failed'],
])('a redirect to %s ends there', async (location, code) => {
  const { asked, fetchIt, files } = machine(() => new Response(null, { status: 302, headers: { location } }));
  await expect(fetchIt('http://192.0.2.1/')).rejects.toMatchObject({ code });
  expect([asked, files()]).toEqual([['192.0.2.1'], 0]);
});

test('this machine is not asked by its own address', async () => {
  const { asked, fetchIt } = machine(() => new Response('x'));
  await expect(fetchIt(`http://${own}/`)).rejects.toThrow('leads to this machine');
  expect(asked).toEqual([]);
});

test('refusals and bodies without an end leave no file', async () => {
  const refusing = machine(() => new Response('no', { status: 404 }));
  await expect(refusing.fetchIt('http://192.0.2.1/')).rejects.toThrow('its server answers 404');
  const endless = machine(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(1 << 20));
          },
        }),
      ),
  );
  await expect(endless.fetchIt('http://192.0.2.1/')).rejects.toThrow('larger than');
  expect([refusing.files(), endless.files()]).toEqual([0, 0]);
});

test('the proxy settings of the environment are not used', async () => {
  const { asked, fetchIt } = machine(() => new Response('RIFF'));
  const before = { ...process.env };
  Object.assign(process.env, { NO_PROXY: '*', http_proxy: 'http://127.0.0.1:9' });
  cleanups.push(() => {
    for (const name of ['NO_PROXY', 'http_proxy']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  await fetchIt('http://192.0.2.1/');
  expect(asked).toEqual(['192.0.2.1']);
});

test('the next address of a name is tried, and a compressed response or endless redirects are refused', async () => {
  const { asked, fetchIt, host } = machine((request) =>
    request.url.endsWith('/zip')
      ? new Response('x', { headers: { 'Content-Encoding': 'gzip' } })
      : Response.redirect(request.url),
  );
  const { connect } = host;
  host.foreignAddresses = async () => ['192.0.2.7', '192.0.2.8'];
  host.connect = (target, ...more) =>
    target.host === '192.0.2.7' ? Promise.reject(new Error('no route')) : connect(target, ...more);
  await expect(fetchIt('http://radio.example/zip')).rejects.toThrow('compressed');
  await expect(fetchIt('http://radio.example/')).rejects.toThrow('redirects more than 5 times');
  expect(asked).toEqual(Array(7).fill('radio.example'));
});

test('an aborted order does not wait for the resolver', async () => {
  const { host } = machine(() => new Response('RIFF'));
  host.foreignAddresses = () => new Promise(() => {});
  const order = new AbortController();
  const fetching = fetchSound(host, 'http://radio.example/', order.signal);
  order.abort(new Error('stopped'));
  expect(await fetching.catch(({ message }) => message)).toBe('stopped');
});
