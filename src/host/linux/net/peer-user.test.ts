import { afterEach, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { addressBytes } from '../../../lib/ip-address.ts';
import type { TcpEnd } from '../../peer-user.ts';
import { createNetlink } from './netlink.socket.ts';
import { countArrivals, createPeerUser } from './peer-user.ts';

const peerUser = createPeerUser(fakeClock());
const me = process.getuid?.() ?? -1;
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Listening {
  port: number;
  next(): Promise<net.Socket>;
  /** Resolves after that many connections. */
  all(count: number): Promise<void>;
}

async function listen(address: string): Promise<Listening> {
  const arrived: net.Socket[] = [];
  const waiting: ((socket: net.Socket) => void)[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    closers.push(() => socket.destroy());
    const taker = waiting.shift();
    if (taker === undefined) arrived.push(socket);
    else taker(socket);
  });
  server.listen(0, address);
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    async all(count) {
      while (arrived.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    next: () =>
      new Promise((resolve) => {
        const first = arrived.shift();
        if (first === undefined) waiting.push(resolve);
        else resolve(first);
      }),
  };
}

const endOf = (socket: net.Socket) => ({
  address: (socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  port: socket.remotePort ?? 0,
});

async function connectionTo(listening: string, target: string) {
  const { port, next } = await listen(listening);
  const client = net.connect(port, target);
  client.on('error', () => {});
  closers.push(() => client.destroy());
  const accepted = await next();
  return { client, accepted, port };
}

/** Two connections from one address and port to two addresses of ours, the second one by another user if given. */
async function makeTwins(port: number, user: number | null) {
  const code = `
import os, socket, sys
def connect(target, port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port))
    s.connect((target, ${port}))
    return s
first = connect("127.0.0.1", 0)
port = first.getsockname()[1]
${user === null ? '' : `os.seteuid(${user})`}
second = connect("127.0.0.5", port)
print(port, flush=True)
sys.stdin.read()`;
  const child = spawn('/usr/bin/env', ['python3', '-c', code], { stdio: ['pipe', 'pipe', 2] });
  closers.push(() => child.kill());
  if (child.stdout === null) throw new Error('it has no output');
  const [line] = await once(child.stdout, 'data');
  return { address: '127.0.0.1', port: Number(String(line)) };
}

describe('the user at the other end', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['::', '::1'],
    // An IPv4 connection over an IPv6 socket.
    ['::', '::ffff:127.0.0.1'],
    // The address of the host name on Debian.
    ['0.0.0.0', '127.0.1.1'],
    ['127.0.0.9', '127.0.0.9'],
  ])('for a listener on %s that is reached at %s', async (listening, target) => {
    const { accepted, port } = await connectionTo(listening, target);
    expect(await peerUser(endOf(accepted), port)).toBe(me);
  });

  test.skipIf(me !== 0)('another user is distinguished', async () => {
    const { port, next } = await listen('127.0.0.1');
    const code = `import socket,sys; s=socket.create_connection(("127.0.0.1",${port})); sys.stdin.read()`;
    const child = spawn('/usr/bin/env', ['python3', '-c', code], { uid: 65_534, gid: 65_534, stdio: ['pipe', 2, 2] });
    closers.push(() => child.kill());
    const accepted = await next();
    expect(await peerUser(endOf(accepted), port)).toBe(65_534);
  });

  test.skipIf(Bun.which('python3') === null)('a peer with several connections is ours if all of them are', async () => {
    const { port, all } = await listen('0.0.0.0');
    const end = await makeTwins(port, null);
    await all(2);
    expect(await peerUser(end, port)).toBe(me);
  });

  test.skipIf(me !== 0)(
    'a connection from a port that another user also uses is not attributed to that user',
    async () => {
      const { port, all } = await listen('0.0.0.0');
      const end = await makeTwins(port, 65_534);
      await all(2);
      expect(await peerUser(end, port)).toBeNull();
    },
  );

  test('a closed connection has no user: neither root nor the listener on its port', async () => {
    const { client, accepted, port } = await connectionTo('127.0.0.1', '127.0.0.1');
    const end = endOf(accepted);
    client.destroy();
    await new Promise((resolve) => client.once('close', resolve));
    expect(await peerUser(end, port)).toBeNull();
    const { port: listening } = await listen('127.0.0.1');
    expect(await peerUser({ address: '127.0.0.1', port: listening }, port)).toBeNull();
  });

  test('a known peer is not searched again until there is a new connection', async () => {
    const { accepted, port } = await connectionTo('127.0.0.1', '127.0.0.1');
    const netlink = createNetlink();
    let searches = 0;
    const counting: Netlink = {
      ...netlink,
      open(protocol) {
        searches += 1;
        return netlink.open(protocol);
      },
    };
    let counted: string | null = '7';
    const ask = createPeerUser(fakeClock(), counting, () => counted);
    const end = endOf(accepted);
    for (let times = 0; times < 3; times++) expect(await ask(end, port)).toBe(me);
    expect(searches).toBe(1);
    counted = '8';
    expect(await ask(end, port)).toBe(me);
    expect(searches).toBe(2);
    expect(await ask({ ...end, port: end.port + 1 }, port)).toBeNull();
    // Without a counter, each query is made.
    counted = null;
    for (let times = 0; times < 2; times++) expect(await ask(end, port)).toBe(me);
    expect(searches).toBe(4);
  });

  test('the kernel counts a connection before it can send data', async () => {
    const { port, next } = await listen('127.0.0.1');
    const ends: TcpEnd[] = [];
    for (let times = 0; times < 20; times++) {
      const client = net.connect(port, '127.0.0.1');
      closers.push(() => client.destroy());
      const accepted = await next();
      closers.push(() => accepted.destroy());
      const before = countArrivals();
      ends.push(endOf(accepted));
      const other = net.connect(port, '127.0.0.1');
      closers.push(() => other.destroy());
      await next();
      expect(countArrivals()).not.toBe(before);
    }
    for (const end of ends) expect(await peerUser(end, port)).toBe(me);
  });

  test('a remote peer has no user', async () => {
    for (const address of ['192.0.2.7', '2001:db8::7', 'fe80::1%eth0', '', 'a name'])
      expect(await peerUser({ address, port: 4711 }, 9170)).toBeNull();
  });

  test('without netlink no user is known', async () => {
    const { accepted, port } = await connectionTo('127.0.0.1', '127.0.0.1');
    const closed = { ...createNetlink(), open: () => refused() };
    for (const how of [undefined, 'batched'] as const)
      expect(await createPeerUser(fakeClock(), closed)(endOf(accepted), port, how)).toBeNull();
  });
});

function refused(): never {
  throw new Error('a sandbox refuses it');
}

test.each<[string, number[] | null]>([
  ['127.0.0.1', [127, 0, 0, 1]],
  ['::1', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ['2001:db8::a:b', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 11]],
  ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
  ['1:2:3', null],
  ['1::2::3', null],
  ['fe80::1%2', null],
  ['localhost', null],
])('the address %s as bytes', (text, bytes) => {
  expect(addressBytes(text)).toEqual(bytes === null ? null : new Uint8Array(bytes));
});
