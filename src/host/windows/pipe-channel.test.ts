import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { currentPlatform } from '../../lib/platform.ts';
import { askPipe, pipeChannel, servePipe } from './pipe-channel.ts';

const isWindows = currentPlatform === 'windows';

/** Elsewhere a Unix socket stands for the pipe: the lines are the same. */
async function withChannel(handle: (request: Request) => Promise<Response>, use: (socket: string) => Promise<void>) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pipe-'));
  const socket = isWindows ? pipeChannel.address() : path.join(scratch, 'pipe');
  const server = servePipe({ socket, handle, onError: (error) => new Response(String(error), { status: 500 }) });
  try {
    while (!isWindows && !fs.existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 5));
    await use(socket);
  } finally {
    await server.stop();
    fs.rmSync(scratch, { recursive: true });
  }
}

const question = { headers: { 'Content-Type': 'application/json' }, timeoutMs: 60_000 };

test('a question and its answer cross the pipe unchanged, whatever is in them', async () => {
  const text = `${'ä€😀\n'.repeat(50_000)}`;
  const echo = async (request: Request) =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, { status: 201 });
  await withChannel(echo, async (socket) => {
    const told = await askPipe({ ...question, socket, route: '/action/x', body: text });
    expect(told).toEqual({ status: 201, text: `POST /action/x ${text}` });
  });
});

test('what the service throws is answered, and what is no question is not', async () => {
  const broken = async () => {
    throw new Error('broken');
  };
  await withChannel(broken, async (socket) => {
    expect(await askPipe({ ...question, socket, route: '/x' })).toEqual({ status: 500, text: 'Error: broken' });
    const { createConnection } = await import('node:net');
    const stranger = createConnection({ path: socket });
    const closed = new Promise((resolve) => stranger.on('close', resolve));
    stranger.on('error', () => {});
    stranger.write('GET / HTTP/1.1\r\n\r\n');
    await closed;
  });
});

test('every start has another name', () => {
  expect(pipeChannel.address()).toMatch(/^\\\\\.\\pipe\\hostler-[0-9a-f-]{36}$/);
  expect(pipeChannel.address()).not.toBe(pipeChannel.address());
});
