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

test('nothing is sent to or taken from a named pipe whose check fails', async () => {
  const received: string[] = [];
  const gone = Promise.withResolvers<void>();
  const pipe = `\\\\.\\pipe\\hostler-test-${crypto.randomUUID()}`;
  const server = net.createServer((peer) => {
    peer.write('READY');
    peer.on('data', (bytes) => void received.push(String(bytes)));
    peer.on('close', () => gone.resolve());
    peer.on('error', () => {});
  });
  await new Promise<void>((listening) => server.listen(pipe, () => listening()));
  onTestFinished(() => void server.close());
  const events = { data: (bytes: Uint8Array) => void received.push(String(bytes)), closed: () => {} };
  const refuse = async (asked: string) => {
    throw new Error(`${asked} belongs to another user`);
  };
  await expect(createConnectLocal(null, refuse)(pipe, events, 'self')).rejects.toThrow('belongs to another user');
  await gone.promise;
  expect(received).toEqual([]);
  await expect(createConnectLocal(null)(pipe, events, 'self')).rejects.toThrow('no named pipes');
  const first = Promise.withResolvers<string>();
  const reading = { ...events, data: (bytes: Uint8Array) => first.resolve(Buffer.from(bytes).toString()) };
  const socket = await createConnectLocal(null, async () => {})(pipe, reading, 'self');
  expect(await first.promise).toBe('READY');
  socket.close();
});
