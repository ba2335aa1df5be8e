// Not on Windows: named pipes are used there, see pipe-channel.test.ts.
import { afterEach, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type LocalServer, startLocalServer } from './server.local.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-local-'));
let server: LocalServer | null = null;

function start(handle: () => Promise<Response>, name = 'socket'): string {
  const socket = path.join(directory, name);
  server = startLocalServer({ socket, handle, onError: () => new Response('error', { status: 500 }) });
  return socket;
}

afterEach(async () => {
  await server?.stop();
  server = null;
});

test('only the owner can use the socket from its creation on, and it is removed with the server', async () => {
  const before = process.umask();
  const socket = start(async () => new Response('here'));
  expect(fs.statSync(socket).mode & 0o777).toBe(0o600);
  expect(process.umask()).toBe(before);
  expect(await (await fetch('http://localhost/', { unix: socket })).text()).toBe('here');
  await server?.stop();
  expect(fs.existsSync(socket)).toBe(false);
});

test('a path that is too long for a socket is refused with an explanation', () => {
  expect(() => start(async () => new Response(), 'x'.repeat(120))).toThrow('longer than 107 bytes');
  fs.rmSync(directory, { recursive: true });
});
