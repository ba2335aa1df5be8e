import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import { currentPlatform } from '../../lib/platform.ts';
import { askPipe, createPipeCheck, pipeChannel, servePipe } from './pipe-channel.ts';

const isWindows = currentPlatform === 'windows';

/** On other systems a Unix socket replaces the pipe: the lines are the same. */
async function withChannel(
  handle: (request: Request) => Promise<Response>,
  use: (socket: string) => Promise<void>,
  silentMs?: number,
) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pipe-'));
  const socket = isWindows ? pipeChannel.address() : path.join(scratch, 'pipe');
  const onError = (error: unknown) => new Response(String(error), { status: 500 });
  const server = servePipe({ socket, handle, onError }, silentMs);
  try {
    while (!isWindows && !fs.existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 5));
    await use(socket);
  } finally {
    await server.stop();
    fs.rmSync(scratch, { recursive: true });
  }
}

const trusting = async () => {};
const request = { headers: { 'Content-Type': 'application/json' }, timeoutMs: 60_000 };

test('requests and responses cross the pipe unchanged, whatever their content', async () => {
  const text = `${'ä€😀\n'.repeat(50_000)}`;
  const echo = async (request: Request) =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, { status: 201 });
  await withChannel(echo, async (socket) => {
    const answer = await askPipe({ ...request, socket, route: '/action/x', body: text }, trusting);
    expect(answer).toEqual({ status: 201, text: `POST /action/x ${text}` });
  });
});

test('a request has a content length, since a body without one is ignored', async () => {
  const { readJson } = await import('../../transports/http/body.ts');
  const echo = async (request: Request) => Response.json(await readJson(request));
  await withChannel(echo, async (socket) => {
    const body = JSON.stringify({ seconds: 3600, text: 'ä€' });
    expect((await askPipe({ ...request, socket, route: '/x', body }, trusting)).text).toBe(body);
  });
});

test('of many clients without a request the oldest are disconnected, and requests are still answered', async () => {
  const { createConnection } = await import('node:net');
  const closed: number[] = [];
  const use = async (socket: string) => {
    const clients = [];
    for (let count = 0; count < 66; count += 1) {
      const client = createConnection({ path: socket });
      client.on('error', () => {});
      client.on('close', () => void closed.push(count));
      await new Promise((resolve) => client.once('connect', resolve));
      clients.push(client);
    }
    const answer = await askPipe({ ...request, socket, route: '/x' }, trusting);
    expect(answer).toEqual({ status: 200, text: 'x' });
    await until(() => closed.length === 3, 'the oldest are disconnected');
    expect(closed.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    for (const client of clients) client.destroy();
  };
  await withChannel(async () => new Response('x'), use);
});

test('a client without a request is disconnected', async () => {
  const use = async (socket: string) => {
    const { createConnection } = await import('node:net');
    const silent = createConnection({ path: socket });
    silent.on('error', () => {});
    await new Promise((resolve) => silent.on('close', resolve));
  };
  await withChannel(async () => new Response('x'), use, 20);
});

test('an exception of the service gets a response, and an invalid request does not', async () => {
  const broken = async () => {
    throw new Error('broken');
  };
  await withChannel(broken, async (socket) => {
    expect(await askPipe({ ...request, socket, route: '/x' }, trusting)).toEqual({
      status: 500,
      text: 'Error: broken',
    });
    const { createConnection } = await import('node:net');
    const client = createConnection({ path: socket });
    const closed = new Promise((resolve) => client.on('close', resolve));
    client.on('error', () => {});
    client.write('GET / HTTP/1.1\r\n\r\n');
    await closed;
  });
});

test('every start uses another name', () => {
  expect(pipeChannel.address()).toMatch(/^\\\\\.\\pipe\\hostler-[0-9a-f-]{36}$/);
  expect(pipeChannel.address()).not.toBe(pipeChannel.address());
});

test('nothing is sent to a pipe of another user', async () => {
  const received: string[] = [];
  const listen = async (request: Request) => {
    received.push(request.url);
    return new Response('secret received');
  };
  await withChannel(listen, async (socket) => {
    const owners = { ownSid: () => 'S-1-5-21-1', pipeOwner: () => 'S-1-5-21-2' };
    const check = createPipeCheck(async () => owners, fakeClock(0));
    const asking = askPipe({ ...request, socket, route: '/x' }, check);
    expect(asking).rejects.toThrow('it was created by another user (S-1-5-21-2)');
    await asking.catch(() => {});
  });
  expect(received).toEqual([]);
});

test.each(['S-1-5-21-1', 'S-1-5-32-544', 'S-1-5-18'])('a pipe owned by %s is used', async (owner) => {
  const check = createPipeCheck(async () => ({ ownSid: () => 'S-1-5-21-1', pipeOwner: () => owner }), fakeClock(0));
  expect(await check('x')).toBeUndefined();
});

test('a busy pipe is retried for a limited time', async () => {
  const clock = fakeClock(0);
  const asked: string[] = [];
  const pipeOwner = (pipe: string) => {
    asked.push(pipe);
    return asked.length < 3 ? null : 'S-1-5-21-1';
  };
  const passing = async (checking: Promise<void>) => {
    const settled = checking.then(
      () => 'ours',
      (error: Error) => error.message,
    );
    for (;;) {
      const now = await Promise.race([settled, new Promise((resolve) => setImmediate(() => resolve(null)))]);
      if (now !== null) return now;
      clock.advance(50);
    }
  };
  expect(await passing(createPipeCheck(async () => ({ ownSid: () => 'S-1-5-21-1', pipeOwner }), clock)('p'))).toBe(
    'ours',
  );
  const silent = { ownSid: () => 'S-1-5-21-1', pipeOwner: () => null };
  expect(await passing(createPipeCheck(async () => silent, clock)('p'))).toContain('Windows does not report its owner');
});
