import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { createOpenMulticast } from './multicast.ts';
import type { InterfaceAddress } from './network.ts';

test('where the socket cannot be bound to the group, datagrams from beyond the link are dropped', async () => {
  const link: InterfaceAddress = {
    ...{ interface: 'link', family: 4, mac: '', internal: false, scopeId: null },
    ...{ address: '127.0.0.5', netmask: '255.255.255.252' },
  };
  const port = await freePort();
  const senders: string[] = [];
  const last = Promise.withResolvers<void>();
  const open = createOpenMulticast(false, () => [
    link,
    { ...link, address: '127.0.0.17' },
    { ...link, interface: 'other', address: '127.0.0.9' },
  ]);
  const socket = await open('224.0.0.251', port, (bytes, { address }) => {
    senders.push(address);
    if (String(bytes) === 'last') last.resolve();
  });
  socket.join([link.address]);
  for (const address of ['127.0.0.4', '127.0.0.8', '127.0.0.10', '127.0.0.3', '127.0.0.18'])
    await send(address, port, 'first');
  await send('127.0.0.7', port, 'last');
  await last.promise;
  expect(senders).toEqual(['127.0.0.4', '127.0.0.18', '127.0.0.7']);
  socket.close();
});

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, () => resolve()));
  const { port } = socket.address();
  socket.close();
  return port;
}

async function send(from: string, port: number, text: string): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, from, () => resolve()));
  await new Promise<void>((resolve) => socket.send(text, port, '127.0.0.1', () => resolve()));
  socket.close();
}
