import { describe, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { BusError, type Dbus } from '@hostler/dbus/dbus.ts';
import { NetlinkError } from '@hostler/netlink/netlink.ts';
import {
  addressMessage,
  type FakeNetlink,
  fakeNetlink,
  linkMessage,
  type Message,
  socketMessage,
} from '@hostler/netlink/testing/fake-netlink.ts';
import { fakeBus, fakeClock, fakeContext, noBus } from '../../../test/doubles/fake-host.ts';
import { buildMachine, machineHost, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { createActiveVpns } from './linux/network-manager.ts';
import { networksLinux } from './networks.linux.ts';
import { networks } from './networks.ts';

testEachMachine('linux', import.meta.dirname, networks.module, networksLinux);

const RTM_GETLINK = 18;
const RTM_GETADDR = 22;

/** The fixture `server`, with a simulated netlink. */
function server(
  answer: (type: number, body: Uint8Array) => Message[][],
  dbus: Dbus = { system: noBus, session: noBus },
) {
  const built = buildMachine(path.join(import.meta.dirname, 'fixtures', 'linux', 'server'));
  onTestFinished(() => fs.rmSync(built, { recursive: true }));
  const netlink: FakeNetlink = fakeNetlink(answer);
  const host = machineHost(built, { netlink: async () => netlink, dbus });
  const source = networksLinux(host, fakeContext());
  const speed = path.join(built, 'sys/class/net/eno1/speed');
  return { built, netlink, host, source, setSpeed: (text: string) => fs.writeFileSync(speed, text) };
}

/** Only a TCP request has this length. */
const isAboutTcp = (type: number, body: Uint8Array) => type === 18 && body.length === 60;

function answers(sockets: Message[] = [], link: Parameters<typeof linkMessage>[0] = {}) {
  return (type: number, body: Uint8Array): Message[][] => {
    if (isAboutTcp(type, body)) return [sockets];
    if (type === RTM_GETLINK) return [[linkMessage({ index: 2, name: 'eno1', flags: 0x1043, mtu: 9000, ...link })]];
    if (type === RTM_GETADDR) return [[addressMessage({ index: 2, local: [192, 0, 2, 7], prefix: 25 })]];
    return [];
  };
}

test('netlink is used where it answers, and /sys and /proc for the rest', async () => {
  const { source, host } = server(answers([socketMessage({ state: 10, localPort: 22, inode: 20_101 })]));
  const { payload } = await readOnce(source, host.clock);
  expect(payload?.networks).toEqual([
    {
      name: 'eno1',
      addresses: [{ address: '192.0.2.7', family: 'IPv4', netmask: '255.255.255.128', broadcast: null, ptp: null }],
      stats: {
        isup: true,
        duplex: 'full',
        speed: 10_000,
        mtu: 9000,
        flags: ['up', 'broadcast', 'running', 'multicast'],
      },
      // This netlink answer has no counters.
      io: null,
      wake_on_lan: true,
      wake_modes: null,
    },
  ]);
  expect(payload?.connections).toEqual([
    { fd: 3, family: 2, type: 1, laddr: '127.0.0.1:22', raddr: null, status: 'LISTEN', pid: 640 },
  ]);
});

test('where netlink refuses, the text files give the same data', async () => {
  const { source, host, netlink } = server(() => {
    throw new NetlinkError(1);
  });
  const { payload } = await readOnce(source, host.clock);
  const expected = path.join(import.meta.dirname, 'fixtures', 'linux', 'server', 'expected.json');
  expect<unknown>(payload).toEqual(JSON.parse(fs.readFileSync(expected, 'utf8')));
  expect(netlink.opened()).toBe(0);
});

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text.replace(/\s/g, ''), 'hex'));

describe('a wireless interface', () => {
  const hex = (text: string): Message => ({ type: 28, body: bytesOf(text) });
  const family = hex('01020000 0c000200 6e6c383032313100 06000100 1c000000');
  const connected = hex('07010000 08000300 02000000 08003400 686f6d65 08002600 6c090000');
  const peer = (dbm: string) => hex(`13010000 08000300 02000000 0c001580 05000700 ${dbm}000000`);
  // NL80211_ATTR_BSS: capability, information elements; the one of the connection also has a status.
  const neighbour = hex('22010000 14002f80 06000500 01000000 07000600 00010000');
  const joined = hex(
    '22010000 3c002f80 06000500 11000000 20000600 0004 686f6d65 3014 0100 000fac04 0100 000fac04 0100 000fac02 0000 08000900 01000000 08000200 6c090000',
  );
  const GENL_ID_CTRL = 16;

  const wireless = (signal: () => string, interfaces: Message[]) => {
    const asked: number[] = [];
    const machine = server((type, body) => {
      if (type === GENL_ID_CTRL) return [[family]];
      if (type === 28) {
        asked.push(body[0] ?? 0);
        if (body[0] === 32) return [[neighbour, joined]];
        return [body[0] === 5 ? interfaces : [peer(signal())]];
      }
      return answers()(type, body);
    });
    fs.mkdirSync(path.join(machine.built, 'sys/class/net/eno1/phy80211'));
    return { ...machine, asked };
  };

  test('has the connected network; the driver is queried every few seconds', async () => {
    let signal = 'c6';
    const { source, host, asked } = wireless(() => signal, [connected]);
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(payload?.networks[0]?.wifi).toEqual({
      ssid: 'home',
      signal: -58,
      signal_percent: 84,
      frequency: 2412,
      band: '2.4 GHz',
      channel: 1,
      rate: null,
      receive_rate: null,
      security: 'wpa2-personal',
    });
    expect(reasons.map(({ field }) => field)).toContain('networks[].wifi.rate');
    (await networks.module.schema()).parse(payload);
    signal = 'b0';
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi?.signal).toBe(-58);
    expect(asked).toEqual([5, 17, 32]);
    host.clock.advance(5000);
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi?.signal).toBe(-80);
    // The networks in range are requested rarely.
    expect(asked).toEqual([5, 17, 32, 5, 17]);
    source.close?.();
  });

  test('has the name announced by its access point, where the kernel omits it', async () => {
    const nameless = hex('07010000 08000300 02000000 08000500 02000000');
    const { source, host } = wireless(() => 'c6', [nameless]);
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi).toMatchObject({
      ssid: 'home',
      frequency: 2412,
      security: 'wpa2-personal',
    });
    source.close?.();
  });

  test('has a name without control characters', async () => {
    // An escape sequence, a bidirectional mark, an invalid byte.
    const evil = hex('07010000 08000300 02000000 0e003400 1b5b33316d e280ae 41ff 0000 08002600 6c090000');
    const { source, host } = wireless(() => 'c6', [evil]);
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi?.ssid).toBe('\ufffd[31mA\ufffd');
    source.close?.();
  });

  test('is null while it is not connected', async () => {
    const { source, host } = wireless(() => 'c6', []);
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(payload?.networks[0]?.wifi).toBeNull();
    expect(reasons).toContainEqual({
      field: 'networks[].wifi',
      reason: 'It is not connected to a wireless network',
      mendable: false,
    });
    source.close?.();
  });
});

describe('wake-on-LAN', () => {
  const family = { type: 16, body: bytesOf('01020000 0c000200 657468746f6f6c00 06000100 15000000') };
  // ETHTOOL_MSG_WOL_GET_REPLY: the interface, then bits in use (magic) and supported (phy, unicast, magic, magic_secure).
  const reply = (value: string) => ({
    type: 21,
    body: bytesOf(`09010000 0c000180 08000100 02000000 1c000280 08000200 08000000 08000400 ${value} 08000500 63000000`),
  });
  const asking = (answer: () => Message[]) =>
    server((type, body) => {
      if (type === 16) return [[family]];
      return type === 21 ? [answer()] : answers()(type, body);
    });
  const firstOf = async ({ source, host }: ReturnType<typeof server>) => {
    const { payload, reasons } = await readOnce(source, host.clock);
    const why = reasons.find(({ field }) => field === 'networks[].wake_modes')?.reason;
    (await networks.module.schema()).parse(payload);
    return { ...payload?.networks[0], why };
  };

  test('has the packets that the driver reports', async () => {
    const machine = asking(() => [reply('20000000')]);
    expect(await firstOf(machine)).toMatchObject({
      wake_on_lan: true,
      wake_modes: { supported: ['phy', 'unicast', 'magic', 'magic_secure'], active: ['magic'] },
      why: undefined,
    });
    machine.source.close?.();
    expect(machine.netlink.opened()).toBe(0);
  });

  test('is off where all modes are off, whatever the device supports', async () => {
    expect(await firstOf(asking(() => [reply('00000000')]))).toMatchObject({
      wake_on_lan: false,
      wake_modes: { active: [] },
    });
  });

  test('comes from /sys where the driver is not accessible', async () => {
    const machine = asking(() => {
      throw new NetlinkError(1);
    });
    expect(await firstOf(machine)).toMatchObject({
      wake_on_lan: true,
      wake_modes: null,
      why: expect.stringContaining('CAP_NET_ADMIN'),
    });
  });

  test('is unknown for a card that does not answer', async () => {
    expect(await firstOf(asking(() => []))).toMatchObject({
      wake_modes: null,
      why: expect.stringContaining('does not support wake-on-LAN'),
    });
  });
});

describe('a VPN', () => {
  const info = (kind: string) => {
    const bytes = [...Buffer.from(kind), 0];
    return [4 + bytes.length, 0, 1, 0, ...bytes];
  };
  const up = 0x1 | 0x40;
  const links = [
    linkMessage({ index: 2, name: 'eno1', flags: up }),
    linkMessage({ index: 3, name: 'wg0', flags: up, info: info('wireguard') }),
    linkMessage({ index: 4, name: 'tun0', flags: 0x1, info: info('tun') }),
    linkMessage({ index: 5, name: 'br0', flags: up, info: info('bridge') }),
    linkMessage({ index: 6, name: 'ip_vti0', flags: 0, info: info('vti') }),
  ];
  const kernel = (type: number, body: Uint8Array) => (type === RTM_GETLINK && !isAboutTcp(type, body) ? [links] : []);
  const root = '/org/freedesktop/NetworkManager';
  /** As in NetworkManager: a WireGuard connection, a plugin VPN without an interface, and a cable. */
  const active: Record<string, Record<string, unknown>> = {
    [`${root}/ActiveConnection/1`]: { Id: 'Wired', Type: '802-3-ethernet', State: 2, Vpn: false, Devices: [] },
    [`${root}/ActiveConnection/2`]: {
      Id: 'Home',
      Type: 'wireguard',
      State: 2,
      Vpn: false,
      Devices: [`${root}/Devices/3`],
    },
    [`${root}/ActiveConnection/3`]: {
      Id: `Office\u202e${'x'.repeat(500)}`,
      Type: 'vpn',
      State: 1,
      Vpn: true,
      Devices: [`${root}/Devices/2`],
    },
  };
  const manager = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': ({ body }) => [body?.[0] === 'org.freedesktop.NetworkManager'],
    'org.freedesktop.DBus.Properties.Get': ({ path: object }) => [
      object === root ? [...Object.keys(active), '/elsewhere'] : object.endsWith('/3') ? 'wg0' : 'eno1',
    ],
    'org.freedesktop.DBus.Properties.GetAll': ({ path: object }) => [active[object]],
  });

  test('is recognised by its link kind', async () => {
    const { source, host } = server(kernel);
    const { payload } = await readOnce(source, host.clock);
    expect(payload?.networks.map(({ name, kind }) => [name, kind])).toEqual([
      ['eno1', undefined],
      ['wg0', 'wireguard'],
      ['tun0', 'tun'],
      ['br0', 'bridge'],
      ['ip_vti0', 'vti'],
    ]);
    expect(payload?.vpns).toEqual([
      { name: 'wg0', kind: 'wireguard', interface: 'wg0', up: true, source: 'kernel' },
      { name: 'tun0', kind: 'tun', interface: 'tun0', up: false, source: 'kernel' },
    ]);
    source.close?.();
  });

  test('has its name in NetworkManager, and those without an interface are listed too', async () => {
    const { source, host } = server(kernel, { system: manager, session: noBus });
    const { payload, reasons } = await readOnce(source, host.clock);
    expect(payload?.vpns).toEqual([
      { name: 'Home', kind: 'wireguard', interface: 'wg0', up: true, source: 'networkmanager' },
      { name: 'tun0', kind: 'tun', interface: 'tun0', up: false, source: 'kernel' },
      { name: `Office${'x'.repeat(93)}…`, kind: 'other', interface: null, up: false, source: 'networkmanager' },
    ]);
    expect(reasons.map(({ field }) => field)).toContain('vpns[].interface');
    (await networks.module.schema()).parse(payload);
    // Profiles hold secrets and are never read.
    expect(new Set(manager.calls.map(({ member }) => member))).toEqual(new Set(['NameHasOwner', 'Get', 'GetAll']));
    source.close?.();
  });

  test('a long name of NetworkManager is shortened before it is stored', async () => {
    const vpns = createActiveVpns(manager, fakeClock());
    await vpns.refresh();
    expect(vpns.known().map(({ name }) => name)).toEqual(['Home', `Office${'x'.repeat(93)}…`]);
  });

  test('is skipped where NetworkManager does not answer', async () => {
    const hanging = fakeBus({
      'org.freedesktop.DBus.NameHasOwner': () => [true],
      'org.freedesktop.DBus.Properties.Get': () => {
        throw new BusError('Client.Timeout', 'no answer');
      },
    });
    const { source, host } = server(kernel, { system: hanging, session: noBus });
    expect((await readOnce(source, host.clock)).payload?.vpns).toHaveLength(2);
    source.close?.();
  });
});

test('after the first read nothing is waited for', async () => {
  const { source, host } = server(answers());
  await readOnce(source, host.clock);
  expect(source.read({ missing: () => {}, inherent: () => {} })).not.toBeInstanceOf(Promise);
  source.close?.();
});

test('connections beyond the message size are cut off, with a reason', async () => {
  const many = Array.from({ length: 15_001 }, (_value, index) => socketMessage({ cookie: BigInt(index), inode: 0 }));
  const { source, host } = server(answers(many));
  const { payload, reasons } = await readOnce(source, host.clock);
  expect(payload?.connections).toHaveLength(15_000);
  expect(reasons.find(({ field }) => field === 'connections')?.reason).toContain('15000');
  expect(JSON.stringify(payload).length).toBeLessThan(4 * 1024 * 1024);
});

test('15,000 connections of maximum length fit into a message', () => {
  const endpoint = '[2001:1db8:2db8:3db8:4db8:5db8:6db8:7db8]:65535';
  const status = 'ESTABLISHED';
  const longest = { fd: 1_048_575, family: 10, type: 1, laddr: endpoint, raddr: endpoint, status, pid: 4_194_304 };
  const networksAndIo = 200_000;
  expect(15_000 * (JSON.stringify(longest).length + 1) + networksAndIo).toBeLessThan(4 * 1024 * 1024);
});

describe('the speed of a connection', () => {
  const speedOf = async ({ source, host }: ReturnType<typeof server>) =>
    (await readOnce(source, host.clock)).payload?.networks[0]?.stats.speed;

  test('is read again when the connection changed, and after a minute', async () => {
    const link = { carrierChanges: 1 };
    const machine = server((type, body) => answers([], link)(type, body));
    expect(await speedOf(machine)).toBe(10_000);
    machine.setSpeed('1000\n');
    expect(await speedOf(machine)).toBe(10_000);
    link.carrierChanges = 3;
    expect(await speedOf(machine)).toBe(1000);
    machine.setSpeed('100\n');
    machine.host.clock.advance(60_000);
    expect(await speedOf(machine)).toBe(100);
  });

  test.each([
    ['unknown to the driver', '-1\n', {}, null],
    ['meaningless without a connection', '10000\n', { flags: 0x1003 }, null],
    ['that of another interface, where /sys is of another network', '10000\n', { index: 9 }, null],
  ])('is %s', async (_what, text, link, expected) => {
    const machine = server(answers([], link));
    machine.setSpeed(text);
    expect(await speedOf(machine)).toBe(expected);
  });
});

test('changes are announced to a watcher, and sockets are closed in the end', async () => {
  const { source, host, netlink } = server(answers());
  let calls = 0;
  const stop = source.watch?.(() => {
    calls += 1;
  });
  await readOnce(source, host.clock);
  // Once when it starts to follow them.
  expect(calls).toBe(1);
  netlink.announce(linkMessage({ name: 'eno1', flags: 0x3 }));
  host.clock.advance(100);
  expect([calls, netlink.following()]).toEqual([2, 1]);
  stop?.();
  expect(netlink.following()).toBe(0);
  expect(netlink.opened()).toBe(2);
  source.close?.();
  expect(netlink.opened()).toBe(0);
});

test('a source closed before it was ready leaves nothing open after its read', async () => {
  const { source, host, netlink } = server(answers());
  const reading = readOnce(source, host.clock);
  source.close?.();
  await reading;
  source.close?.();
  expect(netlink.opened()).toBe(0);
});
