// tier: full
// Not on Windows: named pipes are used there, see pipe-channel.test.ts.
import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startLocalServer } from './server.local.ts';

test('a response that takes 13 s is waited for', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-local-'));
  const socket = path.join(directory, 'socket');
  const server = startLocalServer({
    socket,
    // Without idleTimeout: 0 the runtime closes the connection after 10 to 12 s.
    handle: () => new Promise((resolve) => setTimeout(() => resolve(new Response('late')), 13_000)),
    onError: () => new Response('error', { status: 500 }),
  });
  try {
    expect(await (await fetch('http://localhost/', { unix: socket })).text()).toBe('late');
  } finally {
    await server.stop();
    fs.rmSync(directory, { recursive: true });
  }
}, 60_000);
