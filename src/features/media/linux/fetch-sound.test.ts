import { afterEach, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
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
  const host = {
    scratch,
    network: { addresses: () => [{ address: own }] } as never,
    connect: (target, ...more) => openStream({ ...target, host: '127.0.0.1', port: server.port ?? 0 }, ...more),
    isOurPeer: async () => true,
  } satisfies Partial<FetchHost> as unknown as FetchHost;
  const fetchIt = (url: string) => fetchSound(host, url, new AbortController().signal);
  return { asked, fetchIt, files: () => fs.readdirSync(runtime, { recursive: true }).length };
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
