// Not on Windows: there are named pipes instead of sockets in the file system.
import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createConnectLocal } from './connect-local.ts';

async function listen(serve: (peer: net.Socket) => void): Promise<string> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-socket-'));
  const server = net.createServer(serve);
  onTestFinished(() => {
    server.close();
    fs.rmSync(directory, { recursive: true });
  });
  const file = path.join(directory, 'socket');
  await new Promise<void>((listening) => server.listen(file, () => listening()));
  return file;
}

test('bytes go both ways, and the end is reported once', async () => {
  const file = await listen((peer) => peer.on('data', (bytes) => peer.end(`received ${bytes}`)));
  const received: string[] = [];
  const closed = Promise.withResolvers<Error | null>();
  let closings = 0;
  const socket = await createConnectLocal(null)(
    file,
    {
      data: (bytes) => void received.push(Buffer.from(bytes).toString()),
      closed(error) {
        closings += 1;
        closed.resolve(error);
      },
    },
    'self',
  );
  socket.send(Buffer.from('hello'));
  expect(await closed.promise).toBeNull();
  socket.close();
  expect({ text: received.join(''), closings }).toEqual({ text: 'received hello', closings: 1 });
});

test('the end is reported after our own close as well', async () => {
  const file = await listen(() => {});
  const closed = Promise.withResolvers<Error | null>();
  const socket = await createConnectLocal(null)(file, { data: () => {}, closed: closed.resolve }, 'self');
  socket.close();
  expect(await closed.promise).toBeNull();
});

test('connecting without a listener rejects with the code of the system', async () => {
  const events = { data: () => {}, closed: () => {} };
  await expect(createConnectLocal(null)('/nonexistent/socket', events, 'self')).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
