import { afterEach, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { fakeNetlink, socketMessage } from '@hostler/netlink/testing/fake-netlink.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { createNetlink } from './netlink.socket.ts';
import { batch, createPeerUser } from './peer-user.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function createTest(netlink: Netlink) {
  const clock = fakeClock();
  const ask = createPeerUser(clock, netlink);
  return { clock, ask: (address: string, from: number, port = 9170) => ask({ address, port: from }, port, 'batched') };
}

const client = (localPort: number, uid: number, more: Parameters<typeof socketMessage>[0] = {}) =>
  socketMessage({ localPort, remotePort: 9170, uid, inode: 7, ...more });

describe('the users at the other ends, from one dump', () => {
  test('are those of the sockets; unknown: none, several users, a closed socket', async () => {
    const six = (...last: number[]) => [...Array<number>(16 - last.length).fill(0), ...last];
    const { ask, clock } = createTest(
      fakeNetlink(() => [
        [
          client(1, 1000),
          client(2, 1001, { local: [127, 9, 8, 7] }),
          client(3, 1000),
          client(3, 1000),
          client(4, 1000),
          client(4, 1001),
          client(4, 1000),
        ],
        [client(5, 0, { inode: 0 }), client(6, 1002, { family: 10, local: six(1) })],
        [client(7, 1003, { family: 10, local: six(0xff, 0xff, 127, 0, 0, 1) })],
      ]),
    );
    const users = [1, 2, 3, 4, 5, 6, 7, 8].map((port) => ask({ 2: '127.9.8.7', 6: '::1' }[port] ?? '127.0.0.1', port));
    clock.advance(batch.everyMs);
    expect(await Promise.all(users)).toEqual([1000, 1001, 1000, null, null, 1002, 1003, null]);
  });

  test('one dump for all that wait, and the next one a tenth of a second later', async () => {
    let dumps = 0;
    const kernel = fakeNetlink(() => {
      dumps += 1;
      return [[client(1, 1000)]];
    });
    const { ask, clock } = createTest(kernel);
    expect(await ask('127.0.0.1', 1)).toBe(1000);
    const next = Array.from({ length: 50 }, () => ask('127.0.0.1', 1));
    clock.advance(batch.everyMs - 1);
    expect(dumps).toBe(1);
    clock.advance(1);
    expect(dumps).toBe(2);
    expect(new Set(await Promise.all(next))).toEqual(new Set([1000]));
    expect(kernel.opened()).toBe(0);
  });

  test('a late timer delays no answer', async () => {
    let now = 0;
    const ask = createPeerUser(
      { monotonic: () => now, after: () => () => {} },
      fakeNetlink(() => [[client(1, 1000)]]),
    );
    const asked = [0, 50, batch.everyMs].map((ms) => {
      now = ms;
      return ask({ address: '127.0.0.1', port: 1 }, 9170, 'batched');
    });
    expect(await Promise.all(asked)).toEqual([1000, 1000, 1000]);
  });

  test('slow dumps are made less often', async () => {
    let now = 0;
    const delays: number[] = [];
    const clock = {
      monotonic: () => now,
      after(ms: number, callback: () => void) {
        delays.push(ms);
        queueMicrotask(callback);
        return () => {};
      },
    };
    const ask = createPeerUser(
      clock,
      fakeNetlink(() => {
        now += 50;
        return [];
      }),
    );
    for (let times = 0; times < 2; times++) await ask({ address: '127.0.0.1', port: 1 }, 9170, 'batched');
    expect(delays).toEqual([50 * batch.rest - 50]);
  });

  test('too many that wait are unknown at once, as all are without netlink', async () => {
    const refused: Netlink = {
      ...fakeNetlink(() => []),
      open() {
        throw new Error('a sandbox refuses it');
      },
    };
    const { ask, clock } = createTest(refused);
    expect(await ask('127.0.0.1', 1)).toBeNull();
    const waiting = Array.from({ length: batch.most }, () => ask('127.0.0.1', 1));
    expect(await ask('127.0.0.1', 1)).toBeNull();
    clock.advance(batch.everyMs);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
  });
});

describe('of the kernel', () => {
  const listen = async (address: string) => {
    const server = net.createServer((socket) => void closers.push(() => socket.destroy()));
    server.listen(0, address);
    await once(server, 'listening');
    closers.push(() => server.close());
    return (server.address() as net.AddressInfo).port;
  };
  const connect = async (port: number, host: string) => {
    const socket = net.connect(port, host);
    closers.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket.localPort ?? 0;
  };

  test.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['::', '::1', '::1'],
    ['::', '::ffff:127.0.0.1', '127.0.0.1'],
  ])('for a listener on %s that is reached at %s; other ports do not count', async (listening, target, address) => {
    const port = await listen(listening);
    const from = await connect(port, target);
    let sockets = 0;
    const counting = countMessages(createNetlink(), () => (sockets += 1));
    const { ask, clock } = createTest(counting);
    await connect(await listen('127.0.0.1'), '127.0.0.1');
    const users = [ask(address, from, port), ask(address, port, port), ask('127.9.9.9', from, port)];
    clock.advance(batch.everyMs);
    expect(await Promise.all(users)).toEqual([process.getuid?.() ?? -1, null, null]);
    expect(sockets).toBe(2);
  });

  test.skipIf(process.getuid?.() !== 0)('another user is distinguished', async () => {
    const port = await listen('127.0.0.1');
    const code = `import socket,sys; s=socket.create_connection(("127.0.0.1",${port})); print(s.getsockname()[1], flush=True); sys.stdin.read()`;
    const child = spawn('/usr/bin/env', ['python3', '-c', code], {
      uid: 65_534,
      gid: 65_534,
      stdio: ['pipe', 'pipe', 2],
    });
    closers.push(() => child.kill());
    if (child.stdout === null) throw new Error('it has no output');
    const [line] = await once(child.stdout, 'data');
    const { ask } = createTest(createNetlink());
    const user = ask('127.0.0.1', Number(String(line)), port);
    expect(await user).toBe(65_534);
  });
});

function countMessages(netlink: Netlink, count: () => void): Netlink {
  return {
    ...netlink,
    open(protocol) {
      const socket = netlink.open(protocol);
      return {
        ...socket,
        ask: (type, body, each) =>
          socket.ask(type, body, (...entry) => {
            count();
            each(...entry);
          }),
      };
    },
  };
}
