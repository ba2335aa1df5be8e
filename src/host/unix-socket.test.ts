// Not on Windows: there are named pipes instead of sockets in the file system.
import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { until } from '../../test/harness/until.ts';
import { connectUnix } from './unix-socket.ts';

async function listen(serve: (peer: net.Socket) => void, name?: string): Promise<string> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-socket-'));
  const peers = new Set<net.Socket>();
  const server = net.createServer((peer) => {
    peers.add(peer);
    peer.on('error', () => {});
    serve(peer);
  });
  onTestFinished(() => {
    for (const peer of peers) peer.destroy();
    server.close();
    fs.rmSync(directory, { recursive: true });
  });
  const file = name ?? path.join(directory, 'socket');
  await new Promise<void>((listening) => server.listen(file, () => listening()));
  return file;
}

/** A server at that socket. */
const connect = (path: string, events: LocalSocketEvents) => connectUnix(path, events, () => {});

const ignore = { data: () => {}, closed: () => {} };

test('data that the server does not read at once is queued, and arrives complete and in order', async () => {
  const received: Buffer[] = [];
  let peer: net.Socket | undefined;
  const file = await listen((connected) => {
    peer = connected;
    connected.pause();
    connected.on('data', (bytes) => received.push(Buffer.from(bytes)));
  });
  const socket = await connect(file, ignore);
  const sent = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_000 + index, index));
  for (const bytes of sent) socket.send(bytes);
  await until(() => peer !== undefined, 'the connection');
  peer?.resume();
  const all = Buffer.concat(sent);
  await until(() => received.reduce((sum, bytes) => sum + bytes.length, 0) === all.length, 'all of it');
  expect(Buffer.concat(received).equals(all)).toBeTrue();
  socket.close();
});

test('a server that does not read is disconnected before the queue fills the memory', async () => {
  const file = await listen((peer) => peer.pause());
  const closed = Promise.withResolvers<Error | null>();
  const socket = await connect(file, { data: () => {}, closed: closed.resolve });
  const piece = new Uint8Array(1024 * 1024);
  for (let count = 0; count < 15; count++) socket.send(piece);
  let isOver = false;
  void closed.promise.then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isOver).toBeFalse();
  for (let count = 0; count < 5; count++) socket.send(piece);
  expect((await closed.promise)?.message).toBe(`${file} does not read the data that is sent to it`);
  expect(() => socket.send(piece)).not.toThrow();
});

test('an abstract name is connected as well', async () => {
  const name = `\0hostler-test-${crypto.randomUUID()}`;
  await listen((peer) => peer.end('hello'), name);
  const received: string[] = [];
  const closed = Promise.withResolvers<Error | null>();
  await connect(name, { data: (bytes) => received.push(Buffer.from(bytes).toString()), closed: closed.resolve });
  expect(await closed.promise).toBeNull();
  expect(received.join('')).toBe('hello');
});

test('connecting without a listener rejects with the code of the system and the name', async () => {
  const file = await listen(() => {});
  const stale = `${file}-stale`;
  fs.writeFileSync(stale, '');
  await expect(connect(stale, ignore)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    message: `connect ECONNREFUSED ${stale}`,
  });
  await expect(connect('/nonexistent/socket', ignore)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(connect('\0hostler-absent', ignore)).rejects.toMatchObject({
    message: 'connect ECONNREFUSED @hostler-absent',
  });
  await expect(connect(`/${'long/'.repeat(100)}`, ignore)).rejects.toMatchObject({ code: 'EINVAL' });
});

test('an exception in the data callback ends the connection with that error', async () => {
  const file = await listen((peer) => peer.write('hello'));
  const closed = Promise.withResolvers<Error | null>();
  const failure = new Error('mine');
  await connect(file, {
    data() {
      throw failure;
    },
    closed: closed.resolve,
  });
  expect(await closed.promise).toBe(failure);
});

test('the end is reported once, and never during close', async () => {
  const file = await listen(() => {});
  let closings = 0;
  const socket = await connect(file, { data: () => {}, closed: () => closings++ });
  socket.close();
  expect(closings).toBe(0);
  socket.close();
  socket.send(new Uint8Array(3));
  await until(() => closings > 0, 'the end');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(closings).toBe(1);
});

test('a server that closes with unread data is an error', async () => {
  let peer: net.Socket | undefined;
  const file = await listen((connected) => {
    peer = connected;
    connected.pause();
  });
  const closed = Promise.withResolvers<Error | null>();
  const socket = await connect(file, { data: () => {}, closed: closed.resolve });
  socket.send(new Uint8Array(300_000));
  await until(() => peer !== undefined, 'the connection');
  peer?.destroy();
  expect(await closed.promise).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
});

test('a server that the check refuses gets no byte, and its data is not passed on', async () => {
  let received = 0;
  const ended = Promise.withResolvers<void>();
  const file = await listen((peer) => {
    peer.write('hello');
    peer.on('data', (bytes) => {
      received += bytes.length;
    });
    peer.on('close', () => ended.resolve());
  });
  let calls = 0;
  const events = { data: () => calls++, closed: () => calls++ };
  const refusal = new Error('not this one');
  const check = (descriptor: number) => {
    expect(fs.fstatSync(descriptor).isSocket()).toBeTrue();
    throw refusal;
  };
  await expect(connectUnix(file, events, check)).rejects.toBe(refusal);
  await ended.promise;
  expect([received, calls]).toEqual([0, 0]);
});
