import { expect, onTestFinished, test } from 'bun:test';
import net from 'node:net';
import { createConnectLocal } from './connect-local.ts';

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
