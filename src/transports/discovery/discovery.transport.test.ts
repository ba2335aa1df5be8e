import { describe, expect, test } from 'bun:test';
import path from 'node:path';
import { decodeMessage, pairsIn } from '@hostler/mdns/dns.decode.ts';
import { fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import { defaultSettings } from '../../features/index.ts';
import { system } from '../../features/system/system.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { InterfaceAddress } from '../../host/network.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { advertise } from './discovery.transport.ts';

const card: InterfaceAddress = {
  interface: 'eth0',
  family: 4,
  address: '192.168.1.5',
  mac: '02:00:00:00:00:05',
  internal: false,
  scopeId: null,
};
const tunnel: InterfaceAddress = { ...card, interface: 'tun0', address: '10.8.0.2', mac: '00:00:00:00:00:00' };
const loopback: InterfaceAddress = { ...card, interface: 'lo', address: '127.0.0.1', internal: true };

/** A machine with a recorded network. */
function createMachine(addresses: InterfaceAddress[], refusal: Error | null = null) {
  const sockets: { joined: string[]; sent: Uint8Array[]; closed: boolean }[] = [];
  const warnings: string[] = [];
  const opened = { count: 0 };
  const multicast: LinuxHost['multicast'] = async () => {
    opened.count += 1;
    if (refusal !== null) throw refusal;
    const socket = { joined: [] as string[], sent: [] as Uint8Array[], closed: false };
    sockets.push(socket);
    return {
      join: (through) => {
        socket.joined = [...through];
      },
      send: async (bytes) => void socket.sent.push(bytes),
      reply: async () => {},
      close: () => {
        socket.closed = true;
      },
    };
  };
  const host = fakeHost({
    root: path.join(import.meta.dirname, 'nowhere'),
    environment: { hostname: () => 'box' },
    network: { addresses: () => addresses, searchDomains: () => [] },
    storage: memoryStorage(),
    paths: { state: '/state' } as LinuxHost['paths'],
    netlink: () => Promise.reject(new Error('no netlink here')),
    multicast,
  });
  let current: Settings = defaultSettings;
  const listeners: ((settings: Settings) => void)[] = [];
  const { log } = fakeContext();
  const start = (address = '') =>
    advertise({
      host,
      settings: {
        current: () => current,
        onChange: (listener) => {
          listeners.push(listener);
          return () => {};
        },
      },
      log: { ...log, warn: (line) => warnings.push(line), error: (line) => warnings.push(line) },
      platforms: system.advertising ?? {},
      version: '6.0.0',
      address,
      ports: () => ({ plain: 9170, secure: null }),
    });
  const set = (enabled: boolean, quiet = false) => {
    current = { ...defaultSettings, discovery: { enabled, quiet } };
    for (const listener of listeners) listener(current);
  };
  const announced = (socket: (typeof sockets)[number] | undefined) =>
    socket?.sent
      .flatMap((bytes) => decodeMessage(bytes)?.answers ?? [])
      .filter(({ type }) => type === 16)
      .map(({ data, ttl }) => ({ ttl, ip: pairsIn(data).get('ip') }));
  /** Advances timers until a condition holds. */
  const pass = (condition: () => boolean, what: string) =>
    until(() => {
      host.clock.advance(100);
      return condition();
    }, what);
  return { start, set, sockets, warnings, opened, announced, pass, host };
}

const idle = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('advertising the service', () => {
  test('announces the address of the interface on that interface, and sends a goodbye at the end', async () => {
    const { start, sockets, announced, pass } = createMachine([loopback, tunnel, card]);
    const stop = start();
    await pass(() => (announced(sockets[0])?.length ?? 0) > 0, 'an announcement');
    expect(announced(sockets[0])?.[0]).toEqual({ ttl: 4500, ip: '192.168.1.5' });
    expect(sockets[0]?.joined).toEqual(['192.168.1.5']);
    await stop();
    expect(announced(sockets[0])?.at(-1)).toEqual({ ttl: 0, ip: '192.168.1.5' });
    expect(sockets[0]?.closed).toBe(true);
  });

  test('in quiet mode withdraws the details and announces only the address', async () => {
    const { start, set, sockets, announced, pass } = createMachine([loopback, tunnel, card]);
    const stop = start();
    await pass(() => (announced(sockets[0])?.length ?? 0) > 0, 'an announcement');
    set(true, true);
    await pass(() => announced(sockets[0])?.at(-1)?.ip === undefined, 'a quiet announcement');
    expect(announced(sockets[0])).toContainEqual({ ttl: 0, ip: '192.168.1.5' });
    await stop();
  });

  test.each(['127.0.0.1', '127.3.4.5', '::1', 'localhost', 'box.lan'])(
    'nothing is announced when bound to %s',
    async (address) => {
      const { start, opened, host } = createMachine([loopback, card]);
      const stop = start(address);
      host.clock.advance(5000);
      await idle();
      expect(opened.count).toBe(0);
      await stop();
    },
  );

  test('uses only the interface of the bound address', async () => {
    const other = { ...card, interface: 'eth1', address: '10.0.0.5', mac: '02:00:00:00:00:06' };
    const { start, sockets, announced, pass } = createMachine([card, other]);
    const stop = start('10.0.0.5');
    await pass(() => (announced(sockets[0])?.length ?? 0) > 0, 'an announcement');
    expect(sockets[0]?.joined).toEqual(['10.0.0.5']);
    expect(announced(sockets[0])?.[0]?.ip).toBe('10.0.0.5');
    await stop();
  });

  test('follows the setting', async () => {
    const { start, set, sockets, announced, pass } = createMachine([card]);
    const stop = start();
    await pass(() => (announced(sockets[0])?.length ?? 0) > 0, 'an announcement');
    set(false);
    await pass(() => sockets[0]?.closed === true, 'the end');
    expect(announced(sockets[0])?.at(-1)?.ttl).toBe(0);
    set(true);
    await pass(() => (announced(sockets[1])?.length ?? 0) > 0, 'another announcement');
    await stop();
  });

  test('opens no socket when it is off from the start', async () => {
    const { start, set, opened, host } = createMachine([card]);
    set(false);
    const stop = start();
    set(false);
    host.clock.advance(5000);
    await idle();
    expect(opened.count).toBe(0);
    await stop();
  });

  test('opens no socket without a network or with tunnels only', async () => {
    const { start, opened, host } = createMachine([loopback, tunnel]);
    const stop = start();
    host.clock.advance(5000);
    await idle();
    expect(opened.count).toBe(0);
    await stop();
  });

  test('logs one line when the port is not available', async () => {
    const { start, warnings, pass } = createMachine([card], new Error('bind EADDRINUSE 224.0.0.251:5353'));
    const stop = start();
    await pass(() => warnings.length > 0, 'a sentence');
    expect(warnings).toEqual([
      'discovery: cannot announce this machine on the network: bind EADDRINUSE 224.0.0.251:5353 (UDP port 5353)',
    ]);
    await stop();
  });
});
