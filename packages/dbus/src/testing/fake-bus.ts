import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
// @ts-expect-error this part of it has no types
import wire from 'dbus-native/lib/message.js';

/** A fake bus that misbehaves as configured. */
export interface FakeBus {
  socket: string;
  /** Number of connections so far. */
  connections(): number;
  hangUp(): void;
  remove(): void;
}

export interface Manners {
  /** To the first line of the handshake. */
  answer?(peer: net.Socket): void;
  /** To Hello. */
  hello?(peer: net.Socket): void;
  /** To everything after it. */
  later?(peer: net.Socket, data: Buffer): void;
}

export const helloReply: Buffer = wire.marshall({ type: 2, serial: 1, replySerial: 1, signature: 's', body: [':1.1'] });

export async function fakeBus({ answer = agree, hello = greet, later }: Manners): Promise<FakeBus> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-fake-'));
  const socket = path.join(directory, 'bus');
  const peers = new Set<net.Socket>();
  let connections = 0;
  const server = net.createServer((peer) => {
    let state: 'auth' | 'hello' | 'later' = 'auth';
    connections++;
    peers.add(peer);
    peer.on('error', () => {});
    peer.on('data', (data) => {
      if (state === 'auth' && data.includes('AUTH')) answer(peer);
      if (state === 'auth' && data.includes('BEGIN')) state = 'hello';
      if (state === 'hello' && data.includes('Hello')) {
        state = 'later';
        hello(peer);
      } else if (state === 'later') later?.(peer, Buffer.from(data));
    });
  });
  await new Promise<void>((listening) => server.listen(socket, () => listening()));
  const hangUp = () => {
    for (const peer of peers) peer.destroy();
    peers.clear();
  };
  return {
    socket,
    connections: () => connections,
    hangUp,
    remove() {
      hangUp();
      server.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

const agree = (peer: net.Socket) => peer.write('OK 00\r\n');
const greet = (peer: net.Socket) => peer.write(helloReply);
