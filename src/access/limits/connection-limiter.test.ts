import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import type { LocalPeer, OpenConnection, SocketInspector } from '../../host/socket-inspector.ts';
import { budgets } from './budgets.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import type { TrackedSocket } from './connection-limits.ts';

const mebibyte = 1024 * 1024;
const { most, perAddressShare, shareOfDescriptors } = budgets.all.connections;

async function createTest({ limit = 20_000, ports = [9170], failures = 0, files = 20 } = {}) {
  const clock = fakeClock();
  const open = new Set<OpenConnection>();
  const sockets = new Map<string, TrackedSocket>();
  const localPeers = new Map<string, LocalPeer>();
  const calls = { counts: 0, inspections: 0, backlogs: 0 };
  let arrived: (() => void) | null = null;
  let memory = 40 * mebibyte;
  const inspector: SocketInspector = {
    limit,
    descriptors() {
      calls.counts++;
      return open.size + files;
    },
    memory: () => memory,
    onNextConnection(_ports, callback) {
      arrived = callback;
      return () => {
        arrived = null;
      };
    },
    raiseBacklog() {
      calls.backlogs++;
    },
    connections(port) {
      calls.inspections++;
      return [...open].filter(({ localPort }) => localPort === port);
    },
    localPeers: () => new Map(localPeers),
    shut: (connection) => void open.delete(connection),
  };
  const limiter = createConnectionLimiter({
    async open() {
      if (failures-- > 0) throw new Error('EMFILE');
      return inspector;
    },
    ports: () => ports,
    clock,
    log: fakeContext().log,
    socketAt: (connection) => sockets.get(keyOf(connection)) ?? null,
    isKnownAddress: (address) => address === '192.0.2.77',
  });
  limiter.opened();
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return {
    clock,
    limiter,
    open,
    calls,
    localPeers,
    isWaiting: () => arrived !== null,
    setMemory(bytes: number) {
      memory = bytes;
    },
    /** Connections arrive. */
    connect(count: number, given: Partial<OpenConnection> = {}, socket: TrackedSocket | null = null): OpenConnection[] {
      const connections = Array.from({ length: count }, () => {
        const number = open.size + 1;
        const connection = {
          descriptor: number,
          address: '192.0.2.1',
          port: number,
          localPort: 9170,
          received: 0,
          answered: false,
          idleMs: 0,
          unreadMs: 0,
          ...given,
        };
        open.add(connection);
        if (socket !== null) sockets.set(keyOf(connection), socket);
        return connection;
      });
      const callback = arrived;
      arrived = null;
      callback?.();
      return connections;
    },
  };
}

const keyOf = ({ address, port, localPort }: Pick<OpenConnection, 'address' | 'port' | 'localPort'>) =>
  `${address} ${port} ${localPort}`;

const authenticated: TrackedSocket = { authenticated: true, taken: 0, drop: () => {} };

describe('the connection limiter, by number', () => {
  test('one address gets half of the connections, and those of other addresses stay', async () => {
    const { clock, connect, open } = await createTest();
    const others = connect(10, { address: '192.0.2.99' });
    connect(10_000);
    clock.advance(2000);
    expect(open.size).toBeLessThanOrEqual(most * perAddressShare + 10);
    expect(others.every((other) => open.has(other))).toBe(true);
  });

  test('our user and addresses with a token keep their connections while others have a thousand addresses', async () => {
    const { clock, connect, open, localPeers } = await createTest();
    const own = connect(10, { address: '127.0.0.1', idleMs: 20_000 });
    for (const { address, port } of own) localPeers.set(`${address} ${port}`, { user: 1000, isOurs: true });
    const known = connect(10, { address: '192.0.2.77', idleMs: 20_000 });
    for (let at = 0; at < 1000; at++) {
      const address = `127.1.${at >> 8}.${at & 255}`;
      for (const { port } of connect(1, { address, answered: true }))
        localPeers.set(`${address} ${port}`, { user: 1001, isOurs: false });
      connect(1, { address: `198.${at >> 8}.100.${at & 255}`, answered: true });
    }
    clock.advance(2000);
    expect([...own, ...known].every((connection) => open.has(connection))).toBe(true);
    expect(open.size).toBeLessThanOrEqual(most);
    // All addresses of the other user are one share.
    expect([...open].filter(({ address }) => address.startsWith('127.1.')).length).toBeLessThanOrEqual(
      most * perAddressShare,
    );
  });

  test('many addresses together get a share of the descriptors', async () => {
    const { clock, connect, open } = await createTest({ limit: 1024 });
    for (let network = 0; network < 100; network++) connect(10, { address: `198.51.100.${network}` });
    clock.advance(200);
    expect(open.size).toBeLessThanOrEqual(1024 * shareOfDescriptors);
    expect(open.size).toBeGreaterThan(1024 * shareOfDescriptors * 0.5);
  });

  test('a network with few connections keeps all of them while two and four others exceed the limit', async () => {
    for (const networks of [2, 4]) {
      const { clock, connect, open } = await createTest();
      const few = connect(20, { address: '192.0.2.99', idleMs: 20_000 });
      for (let network = 0; network < networks; network++)
        connect(380, { address: `198.51.100.${network}`, answered: true });
      connect(20, { address: '203.0.113.1', answered: true });
      clock.advance(2000);
      expect(open.size).toBeLessThanOrEqual(most);
      expect(few.every((one) => open.has(one))).toBe(true);
    }
  });

  test('connections that never got a response are closed first, then the longest idle', async () => {
    const { clock, connect, open } = await createTest({ limit: 1000 });
    const idle = connect(50, { answered: true, idleMs: 20_000 });
    const active = connect(50, { answered: true, idleMs: 10 });
    connect(1000);
    clock.advance(1000);
    for (const kept of [active, idle]) expect(kept.filter((one) => open.has(one)).length).toBe(50);
    connect(160, { answered: true, idleMs: 100 });
    clock.advance(1000);
    expect(idle.some((one) => open.has(one))).toBe(false);
    expect(active.every((one) => open.has(one))).toBe(true);
  });

  test('WebSockets with a token do not count as unauthenticated, and get a share of the descriptors', async () => {
    const { clock, connect, open } = await createTest();
    const own = connect(1000, { idleMs: 30_000 }, authenticated);
    connect(2000, { address: '198.51.100.1' });
    clock.advance(2000);
    expect(own.every((one) => open.has(one))).toBe(true);
    const small = await createTest({ limit: 1024 });
    small.connect(900, {}, authenticated);
    small.clock.advance(1000);
    expect(small.open.size).toBeLessThanOrEqual(1024 * shareOfDescriptors);
  });

  test('a token on one port does not protect a connection from the same peer port to the other port', async () => {
    const { clock, connect, open } = await createTest({ limit: 1000, ports: [9170, 9171] });
    const own = Array.from({ length: 50 }, (_, port) => connect(1, { port, answered: true }, authenticated)).flat();
    const others = Array.from({ length: 50 }, (_, port) => connect(1, { port, localPort: 9171, idleMs: 9000 })).flat();
    connect(400, { answered: true });
    clock.advance(1000);
    expect(own.every((one) => open.has(one))).toBe(true);
    expect(others.some((one) => open.has(one))).toBe(false);
  });
});

describe('the connection limiter, by memory', () => {
  test('the longest unfinished messages are dropped when all together exceed the budget', async () => {
    const { clock, connect, setMemory } = await createTest();
    const dropped: number[] = [];
    for (let step = 1; step <= 100; step++) {
      const bytes = step * 10_240;
      const socket = { authenticated: true, taken: 1000, drop: () => void dropped.push(bytes) };
      connect(1, { received: 1000 + bytes }, socket);
    }
    clock.advance(4000);
    expect(dropped).toEqual([]);
    setMemory(200 * mebibyte);
    clock.advance(50);
    const sum = 10_240 * ((100 * 101) / 2);
    expect(sum - dropped.reduce((all, bytes) => all + bytes, 0)).toBeLessThanOrEqual(budgets.all.unfinishedBytes);
    expect(dropped[0]).toBe(100 * 10_240);
    expect(dropped.length).toBeLessThan(30);
  });

  test('connections that do not read their responses are closed only when memory is short', async () => {
    const { clock, connect, open, setMemory } = await createTest();
    const stuck = connect(100, { answered: true, unreadMs: 3000 });
    const reading = connect(100, { answered: true, unreadMs: 20 });
    const own = connect(10, { answered: true, unreadMs: 3000 }, authenticated);
    clock.advance(4000);
    expect(open.size).toBe(210);
    setMemory(200 * mebibyte);
    clock.advance(50);
    expect(stuck.some((one) => open.has(one))).toBe(false);
    expect([...reading, ...own].every((one) => open.has(one))).toBe(true);
  });
});

describe('the cost of the connection limiter', () => {
  test('with few connections no timer runs until the next one arrives, and they are not listed', async () => {
    const { clock, connect, calls, isWaiting } = await createTest();
    expect(isWaiting()).toBe(true);
    expect(clock.advanceToNext()).toBe(false);
    connect(30);
    expect(isWaiting()).toBe(false);
    clock.advance(100);
    expect(isWaiting()).toBe(true);
    expect(clock.advanceToNext()).toBe(false);
    expect(calls.inspections).toBe(0);
  });

  test('open files do not count as connections', async () => {
    const { clock, connect, calls, isWaiting } = await createTest({ files: 1000 });
    connect(10);
    clock.advance(100);
    expect(isWaiting()).toBe(true);
    expect(clock.advanceToNext()).toBe(false);
    expect(calls.inspections).toBe(1);
  });

  test('connections that arrive in a burst are counted once', async () => {
    const { clock, connect, calls } = await createTest();
    const before = calls.counts;
    for (let one = 0; one < 40; one++) connect(1);
    clock.advance(1000);
    expect(calls.counts - before).toBeLessThanOrEqual(2);
  });

  test('a port that opens later gets a long accept queue, too', async () => {
    const { limiter, calls } = await createTest({ ports: [9170, 9171] });
    expect(calls.backlogs).toBe(2);
    limiter.opened();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(calls.backlogs).toBe(4);
  });

  test('thousands of authenticated connections are listed once a second', async () => {
    const { clock, connect, calls } = await createTest();
    connect(3000, {}, authenticated);
    clock.advance(5000);
    const before = calls.inspections;
    clock.advance(10_000);
    expect(calls.inspections - before).toBeLessThanOrEqual(10);
  });

  test('opening the inspector is tried again when descriptors were exhausted', async () => {
    const { clock, isWaiting } = await createTest({ failures: 2 });
    for (let second = 0; second < 2; second++) {
      expect(isWaiting()).toBe(false);
      clock.advance(1000);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
    expect(isWaiting()).toBe(true);
  });

  test('after stop nothing is counted', async () => {
    const { clock, connect, limiter, isWaiting } = await createTest();
    connect(500);
    limiter.stop();
    expect(clock.advanceToNext()).toBe(false);
    expect(isWaiting()).toBe(false);
  });
});
