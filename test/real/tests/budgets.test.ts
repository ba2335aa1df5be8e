// tier: full
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { cpuMs } from '../../../bench/harness/process.ts';
import { budgets } from '../../../src/access/limits/budgets.ts';
import { once } from '../../../src/lib/lazily.ts';
import { until } from '../../harness/until.ts';
import { asAnotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { type CrowdGroup, startCrowd } from '../harness/crowd.ts';
import { createPairOfNetworks, hasNetworks, type PrivateNetwork } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { createToken, postJson, type RunningHostler, startHostler } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

/** The budgets of unauthenticated clients and of callers, against the real service. bench/unauthenticated-clients.ts measures attacks. */

const sockets = new Set<net.Socket>();
const running = new Set<RunningHostler>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});
afterAll(async () => {
  for (const hostler of running) await hostler.stop();
});

async function start(options: Parameters<typeof startHostler>[0] = {}): Promise<RunningHostler> {
  const hostler = await startHostler(options);
  running.add(hostler);
  return hostler;
}

function connect(
  port: number,
  address = '127.0.0.1',
  from = '127.0.0.1',
): { socket: net.Socket; receivedText(): string; isClosed(): boolean } {
  const socket = net.connect({ port, host: address, localAddress: from });
  let text = '';
  let closed = false;
  sockets.add(socket);
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  return { socket, receivedText: () => text, isClosed: () => closed };
}

/** Unlike processes of our own user, which have places of their own. */
const asOther = 'Via: 1.1 test';

const upgrade = (port: number, header = asOther) =>
  [
    'GET /api/websocket HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    header,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  ].join('\r\n');

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
const descriptorsOf = (pid: number) => fs.readdirSync(`/proc/${pid}/fd`).length;
const isHealthy = async ({ get }: RunningHostler) => (await get('/api/health', {})).status === 200;

/** Keeps 700 upgrade requests open, from a thousand addresses in turn. */
const occupation = `
import selectors, socket, sys, time
port, request = int(sys.argv[1]), sys.argv[2].encode()
ready, opened, count, begun, full = selectors.DefaultSelector(), set(), 0, time.monotonic(), False
while True:
    while len(opened) < 700 and count < 700 + 1000 * (time.monotonic() - begun):
        one = socket.socket()
        one.bind((f"127.1.{count // 250 % 4}.{count % 250 + 1}", 0))
        count += 1
        try:
            one.connect(("127.0.0.1", port))
            one.sendall(request)
        except OSError:
            one.close()
            continue
        opened.add(one)
        ready.register(one, selectors.EVENT_READ)
    for key, _ in ready.select(0.01):
        try:
            text = key.fileobj.recv(4096)
        except OSError:
            text = b""
        if not text.startswith(b"HTTP/1.1 101"):
            ready.unregister(key.fileobj)
            opened.remove(key.fileobj)
            key.fileobj.close()
        # Or closed without an answer, because its user has too many connections.
        if not text.startswith(b"HTTP/1.1 101") and not full:
            full = True
            print("refused", flush=True)
`;

/** The first half of a mebibyte, of a frame that never ends. */
const unfinished = Buffer.concat([
  Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4]),
  Buffer.alloc(512 * 1024),
]);

/** The service in a network of its own, and other machines in another one: on this machine users count, not addresses. */
const isNetworked = hasNetworks() && needs('python3');
const away = '10.77.0.1';
const networks = once(() => {
  const pair = createPairOfNetworks();
  for (const host of [11, 12, 13, 14, 20, 21, 22, 23, 24, 100, 101, 102, 103, 104])
    pair.there.ip(`addr add 10.77.0.${host}/16 dev pair1`);
  made.push(pair.here, pair.there);
  return pair;
});
const made: PrivateNetwork[] = [];
afterAll(() => {
  for (const network of made) network.remove();
});

const startAway = (through: string[] = []) =>
  startHostler({ env: { SERVICE_HOST: '0.0.0.0' }, through: [...networks().here.within, ...through] });

describe('without a token', () => {
  test('a burst of upgrades holds only a few connections; the rest waits or is refused', async () => {
    const hostler = await start();
    expect(await isHealthy(hostler)).toBe(true);
    const { places, waiting } = budgets.unauthenticated;
    const perNetwork = places / 2;
    const burst = Array.from({ length: 600 }, () => connect(hostler.port));
    for (const { socket } of burst) socket.write(upgrade(hostler.port));
    const accepted = () => burst.filter(({ receivedText }) => receivedText().startsWith('HTTP/1.1 101'));
    const refused = () => burst.filter(({ receivedText }) => receivedText().startsWith('HTTP/1.1 503'));
    await until(() => refused().length >= 600 - perNetwork - waiting.most / 2, 'the rest is refused');
    expect(refused()[0]?.receivedText()).toMatch(/\r\nRetry-After: \d+\r\n/i);
    const before = residentBytes(hostler.pid);
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes(hostler.pid) - before);
    }, 10);
    const sent = new Set<unknown>();
    // Waiting requests are admitted when the holders had their minimum time.
    await until(async () => {
      for (const one of accepted()) {
        if (sent.has(one)) continue;
        sent.add(one);
        one.socket.write(unfinished);
      }
      expect(await isHealthy(hostler)).toBe(true);
      return sent.size > 2 * perNetwork;
    }, 'waiting requests are admitted');
    clearInterval(watch);
    const open = accepted().filter(({ isClosed }) => !isClosed()).length;
    expect(open).toBeLessThanOrEqual(perNetwork + 8);
    // Twice the expected amount, because memory is released a little later.
    expect(most).toBeLessThan(2 * places * budgets.all.frameBytes);
  });

  test.skipIf(!isNetworked)(
    'clients of another network are admitted while four networks occupy the admission queue, and so is a token in the upgrade request',
    async () => {
      await using hostler = await startAway();
      using crowd = startCrowd(networks().there.within, away, hostler.port);
      const text = upgrade(hostler.port);
      const [attackers = async () => ({ open: 0, received: [] })] = await Promise.all(
        [11, 12, 13, 14].map((host) => crowd.open(`10.77.0.${host}`, 180, text, true)),
      );
      const received = async (look: () => Promise<CrowdGroup>) => (await look()).received.join();
      const isRefused = (answer: string) => answer.startsWith('HTTP/1.1 503');
      await until(async () => (await attackers()).received.some(isRefused), 'the queue is full for their network');
      for (const host of [100, 101, 102, 103, 104]) {
        const fresh = await crowd.open(`10.77.0.${host}`, 1, text);
        await until(async () => (await received(fresh)) !== '', 'a client of another network gets an answer');
        expect(await received(fresh)).toStartWith('HTTP/1.1 101');
      }
      const own = await crowd.open('10.77.0.11', 1, upgrade(hostler.port, `X-API-Token: ${hostler.token}`));
      await until(async () => (await received(own)) !== '', 'a client with a token gets an answer');
      expect(await received(own)).toStartWith('HTTP/1.1 101');
    },
  );

  test('our user connects while another user occupies the admission queue from a thousand addresses', async () => {
    if (!canBeAnotherUser()) return;
    await using hostler = await startHostler();
    const attack = asAnotherUser(occupation, [String(hostler.port), upgrade(hostler.port, 'Accept: */*')]);
    await until(() => attack.output() !== '', 'the other user has all that it gets');
    expect(attack.output()).toBe('refused\n');
    for (let round = 0; round < 20; round++) {
      const start = performance.now();
      const client = await connectSocket(hostler);
      expect((await client.ask('GET_DATA', { modules: [] })).type).toBe('DATA_GET');
      expect(performance.now() - start).toBeLessThan(5000);
      client.end();
    }
    expect(attack.child.exitCode).toBeNull();
    attack.child.kill();
    await attack.ended;
  });

  test.skipIf(!isNetworked)(
    'silent connections from several addresses are limited per address and in total, and others are served',
    async () => {
      await using hostler = await startAway(['/bin/sh', '-c', 'ulimit -n 1024; exec "$@"', 'sh']);
      using crowd = startCrowd(networks().there.within, away, hostler.port);
      const { most, shareOfDescriptors, perAddressShare } = budgets.all.connections;
      const limit = Math.min(most, 1024 * shareOfDescriptors);
      const isServed = async () => {
        const health = await crowd.open('10.77.0.2', 1, `GET /api/health HTTP/1.1\r\nHost: ${away}\r\n\r\n`);
        await until(async () => (await health()).received[0]?.startsWith('HTTP/1.1 200') === true, 'it is served');
      };
      const few = await crowd.open('10.77.0.20', 10);
      const one = await crowd.open('10.77.0.21', 300);
      // A request starts the connection limiter at once.
      await until(() => descriptorsOf(hostler.pid) > 200, 'they are accepted');
      await isServed();
      await until(async () => (await one()).open <= limit * perAddressShare, 'one address has its share');
      const others = await Promise.all([22, 23, 24].map((host) => crowd.open(`10.77.0.${host}`, 180)));
      const openOf = async (those: (() => Promise<CrowdGroup>)[]) =>
        (await Promise.all(those.map((look) => look()))).reduce((sum, { open }) => sum + open, 0);
      await until(async () => (await openOf([one, ...others])) <= limit, 'all together have theirs');
      expect(await openOf([few])).toBe(10);
      for (const other of others) expect(await openOf([other])).toBeGreaterThan(0);
      await isServed();
    },
  );

  test('two hundred clients that reconnect at once with a token are all admitted', async () => {
    const hostler = await start();
    const types = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const client = await connectSocket(hostler);
        return (await client.ask('GET_DATA', { modules: [] })).type;
      }),
    );
    expect(types).toEqual(Array(200).fill('DATA_GET'));
  });

  test.each([
    ['nothing', ''],
    ['half a request', 'GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: '],
  ])('connections that say %s and take all descriptors before the first request are limited', async (_what, text) => {
    const few = ['/bin/sh', '-c', 'ulimit -n 400; exec "$@"', 'sh'];
    // The source needs descriptors to load the connection limiter; the built program needs none.
    const hostler = await start({ through: few, compiled: true });
    const flood = Array.from({ length: 800 }, () => connect(hostler.port));
    for (const { socket } of flood) socket.write(text);
    await until(() => descriptorsOf(hostler.pid) >= 390, 'they take all descriptors');
    const isLimited = () => hostler.output().includes('connections exceed the limits of this service');
    await until(isLimited, 'the connection limiter started', 60_000);
    expect(await isHealthy(hostler)).toBe(true);
    await until(() => descriptorsOf(hostler.pid) < 300, 'there is room again');
    const before = cpuMs(hostler.pid);
    await Bun.sleep(2000);
    expect(cpuMs(hostler.pid) - before).toBeLessThan(500);
  });

  test('a slow request body times out and delays no other client', async () => {
    const hostler = await start();
    const head = `POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:${hostler.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const slow = Array.from({ length: 12 }, () => connect(hostler.port));
    for (const { socket } of slow) socket.write(head);
    const trickle = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write(' ');
    }, 200);
    const withStatus = (status: number) =>
      slow.filter(({ receivedText }) => receivedText().startsWith(`HTTP/1.1 ${status}`)).length;
    expect(await isHealthy(hostler)).toBe(true);
    await until(() => withStatus(400) === slow.length, 'they are refused after a while');
    clearInterval(trickle);
  });

  test('thousands of simultaneous requests take a bounded time, and neither other clients nor tokens are refused', async () => {
    const hostler = await start();
    const { port, pid, token } = hostler;
    const request = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`;
    const answersOf = (text: string, status: number) => text.split(`HTTP/1.1 ${status}`).length - 1;
    const each = 2000;
    const flood = Array.from({ length: 20 }, () => connect(port));
    const known = connect(port);
    const other = connect(port, '127.0.0.1', '127.0.0.9');
    await isHealthy(hostler);
    // So that everything has arrived before the first reply.
    process.kill(pid, 'SIGSTOP');
    for (const { socket } of flood) socket.write(request('POST /api/sessions/challenge').repeat(each));
    other.socket.write(request('GET /api/health'));
    // Answered at once, and only with a token.
    known.socket.write(request('GET /api/data', `X-API-Token: ${token}\r\n`).repeat(budgets.caller.turn.free));
    await Bun.sleep(300);
    process.kill(pid, 'SIGCONT');
    await until(() => flood.every(({ isClosed }) => isClosed()), 'the flood is over');
    // Closing with unread data resets the connection, and a slow reader loses the last answer.
    const reported = flood.filter(({ receivedText }) => answersOf(receivedText(), 429) > 0);
    expect(reported.length).toBeGreaterThan(flood.length / 2);
    for (const { receivedText } of reported) {
      expect(answersOf(receivedText(), 429)).toBe(1);
      expect(receivedText()).toContain('Retry-After: 1');
    }
    const answered = flood.reduce((sum, { receivedText }) => sum + answersOf(receivedText(), 200), 0);
    expect(answered).toBeLessThan((flood.length * each) / 2);
    await until(
      () => answersOf(known.receivedText(), 400) === budgets.caller.turn.free,
      'the one with a token has all answers',
    );
    await until(() => answersOf(other.receivedText(), 200) === 1, 'the one at another address has its answer');
    expect(known.isClosed()).toBe(false);
  });

  test('wrong codes touch no file while one is pending', async () => {
    const hostler = await start();
    const { directory, base } = hostler;
    const file = path.join(directory, 'state', 'login.json');
    const pending = JSON.stringify([{ sha256: '0'.repeat(64), expires: Date.now() + 600_000 }]);
    fs.writeFileSync(file, pending, { mode: 0o600 });
    const { ino, mtimeNs } = fs.statSync(file, { bigint: true });
    for (let count = 0; count < 100; count++) {
      const response = await fetch(`${base}/api/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ code: `wrong-${count}` }),
      });
      expect([401, 403, 429]).toContain(response.status);
    }
    const after = fs.statSync(file, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([ino, mtimeNs]);
  });
});

describe('with a token', () => {
  test('a connection that pipelines requests is refused after a share, and another client is served', async () => {
    const { port, pid, token, get } = await start();
    await get('/api/health', {});
    const request = `GET /api/data HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Token: ${token}\r\n\r\n`;
    const each = 20_000;
    // Everything that the system buffers has arrived before the first response.
    process.kill(pid, 'SIGSTOP');
    const flood = connect(port);
    flood.socket.write(request.repeat(each));
    await Bun.sleep(300);
    process.kill(pid, 'SIGCONT');
    await until(() => flood.isClosed(), 'the connection is closed');
    expect(flood.receivedText().split('HTTP/1.1 400').length - 1).toBeLessThan(each / 2);
    expect((await get('/api/data/memory')).status).toBe(200);
  });

  test('requests of many connections in one turn are all answered', async () => {
    const { port, pid, token, get } = await start();
    await get('/api/health', {});
    const request = `GET /api/data HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Token: ${token}\r\n\r\n`;
    const clients = Array.from({ length: 300 }, () => connect(port));
    await until(() => clients.every(({ socket }) => !socket.connecting), 'they are connected');
    process.kill(pid, 'SIGSTOP');
    for (const { socket } of clients) socket.write(request);
    await Bun.sleep(300);
    process.kill(pid, 'SIGCONT');
    await until(
      () => clients.every(({ receivedText }) => receivedText().startsWith('HTTP/1.1 400')),
      'each has its response',
    );
  });

  test('long bodies that never end block only the token that sends them', async () => {
    const hostler = await start();
    const head = [
      'POST /api/clipboard/set HTTP/1.1',
      `Host: 127.0.0.1:${hostler.port}`,
      `X-API-Token: ${await createToken(hostler, 'hog', 'clipboard')}`,
      'Content-Type: application/json',
      'Content-Length: 1000000',
    ];
    const hogs = Array.from({ length: 8 }, () => connect(hostler.port));
    for (const { socket } of hogs) socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    const refused = () => hogs.filter(({ receivedText }) => receivedText().startsWith('HTTP/1.1 429')).length;
    await until(() => refused() === 6, 'all but half of the places are refused');
    const other = await postJson(hostler, '/api/clipboard/set', { text: 'a'.repeat(400_000) });
    // There is no desktop here, which is detected after the whole body was received.
    expect(other.status).toBe(501);
    expect(refused()).toBe(6);
  });

  test('frames that never end are dropped before they fill the memory', async () => {
    const hostler = await start();
    const token = await createToken(hostler, 'reader', 'read');
    const clients = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const client = await connectSocket({ port: hostler.port, token });
        expect((await client.ask('GET_DATA', { modules: [] })).type).toBe('DATA_GET');
        return client;
      }),
    );
    for (const client of clients) client.raw(unfinished);
    const closed = () => clients.filter((client) => client.isClosed()).length;
    await until(() => closed() > 100, 'those too many are dropped');
    expect(closed()).toBeLessThan(200);
    expect(await isHealthy(hostler)).toBe(true);
    for (const client of clients) client.end();
  });

  test('a directory of forty thousand entries is read once for all clients, and reading stops when they disconnect', async () => {
    const hostler = await start({
      prepare(directory) {
        const music = path.join(directory, 'home', 'Music');
        fs.mkdirSync(music);
        for (let index = 0; index < 40_000; index++)
          fs.writeFileSync(path.join(music, `a longer name ${index}.mp3`), '');
      },
    });
    const before = residentBytes(hostler.pid);
    const clients = await Promise.all(Array.from({ length: 5 }, () => connectSocket(hostler)));
    for (const client of clients) {
      await client.ask('GET_DATA', { modules: [] });
      for (let index = 0; index < 60; index++)
        client.send('GET_FILES', { base: 'music', path: './'.repeat(index % 2) }, { id: `files-${index}` });
    }
    const [first] = clients;
    await first?.until(({ type }) => type === 'FILES', 'the first answer');
    for (const client of clients) client.end();
    const idle = async () => {
      const start = cpuMs(hostler.pid);
      await Bun.sleep(500);
      return cpuMs(hostler.pid) - start < 50;
    };
    await until(idle, 'the work ends with those who wanted it', 60_000);
    expect(residentBytes(hostler.pid) - before).toBeLessThan(400 * 1024 * 1024);
    expect(await isHealthy(hostler)).toBe(true);
  });
});
