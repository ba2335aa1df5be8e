import { describe, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeContext } from '../../../test/doubles/fake-host.ts';
import {
  addressMessage,
  type FakeNetlink,
  fakeNetlink,
  linkMessage,
  type Message,
  socketMessage,
} from '../../../test/doubles/fake-netlink.ts';
import { buildMachine, machineHost, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { NetlinkError } from '../../protocols/netlink/netlink.ts';
import { networksLinux } from './networks.linux.ts';
import { networks } from './networks.ts';

testEachMachine('linux', import.meta.dirname, networks, networksLinux);

const RTM_GETLINK = 18;
const RTM_GETADDR = 22;

/** The server among the fixtures, with a kernel that answers for it. */
function server(answer: (type: number, body: Uint8Array) => Message[][]) {
  const built = buildMachine(path.join(import.meta.dirname, 'fixtures', 'linux', 'server'));
  onTestFinished(() => fs.rmSync(built, { recursive: true }));
  const netlink: FakeNetlink = fakeNetlink(answer);
  const host = machineHost(built, { netlink: async () => netlink });
  const source = networksLinux(host, fakeContext());
  const speed = path.join(built, 'sys/class/net/eno1/speed');
  return { built, netlink, host, source, setSpeed: (text: string) => fs.writeFileSync(speed, text) };
}

/** Only a TCP question has this length. */
const isAboutTcp = (type: number, body: Uint8Array) => type === 18 && body.length === 60;

function answers(sockets: Message[] = [], link: Parameters<typeof linkMessage>[0] = {}) {
  return (type: number, body: Uint8Array): Message[][] => {
    if (isAboutTcp(type, body)) return [sockets];
    if (type === RTM_GETLINK) return [[linkMessage({ index: 2, name: 'eno1', flags: 0x1043, mtu: 9000, ...link })]];
    if (type === RTM_GETADDR) return [[addressMessage({ index: 2, local: [192, 0, 2, 7], prefix: 25 })]];
    return [];
  };
}

test('the kernel is asked where it answers, and the rest is from /sys and /proc', async () => {
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
      // This answer of the kernel has no counters in it.
      io: null,
      wake_on_lan: true,
    },
  ]);
  expect(payload?.connections).toEqual([
    { fd: 3, family: 2, type: 1, laddr: '127.0.0.1:22', raddr: null, status: 'LISTEN', pid: 640 },
  ]);
});

test('where the kernel refuses to answer the texts say the same', async () => {
  const { source, host, netlink } = server(() => {
    throw new NetlinkError(1);
  });
  const { payload } = await readOnce(source, host.clock);
  const expected = path.join(import.meta.dirname, 'fixtures', 'linux', 'server', 'expected.json');
  expect<unknown>(payload).toEqual(JSON.parse(fs.readFileSync(expected, 'utf8')));
  expect(netlink.opened()).toBe(0);
});

describe('a wireless interface', () => {
  const hex = (text: string): Message => ({
    type: 28,
    body: Uint8Array.from(Buffer.from(text.replace(/\s/g, ''), 'hex')),
  });
  const family = hex('01020000 0c000200 6e6c383032313100 06000100 1c000000');
  const connected = hex('07010000 08000300 02000000 08003400 686f6d65 08002600 6c090000');
  const peer = (dbm: string) => hex(`13010000 08000300 02000000 0c001580 05000700 ${dbm}000000`);
  const GENL_ID_CTRL = 16;

  const wireless = (signal: () => string, interfaces: Message[]) => {
    const asked: number[] = [];
    const machine = server((type, body) => {
      if (type === GENL_ID_CTRL) return [[family]];
      if (type === 28) {
        asked.push(body[0] ?? 0);
        return [body[0] === 5 ? interfaces : [peer(signal())]];
      }
      return answers()(type, body);
    });
    fs.mkdirSync(path.join(machine.built, 'sys/class/net/eno1/phy80211'));
    return { ...machine, asked };
  };

  test('has the network it is connected to; the driver is asked every few seconds', async () => {
    let signal = 'c6';
    const { source, host, asked } = wireless(() => signal, [connected]);
    const { payload, reasons } = await readOnce(source, host.clock);
    const wifi = { ssid: 'home', frequency: 2412, rate: null, receive_rate: null };
    expect(payload?.networks[0]?.wifi).toEqual({ ...wifi, signal: -58 });
    expect(reasons.map(({ field }) => field)).toContain('networks[].wifi.rate');
    (await networks.schema()).parse(payload);
    signal = 'b0';
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi?.signal).toBe(-58);
    expect(asked).toHaveLength(2);
    host.clock.advance(5000);
    expect((await readOnce(source, host.clock)).payload?.networks[0]?.wifi?.signal).toBe(-80);
    source.close?.();
  });

  test('is null while it is connected to nothing', async () => {
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

test('after the first reading there is nothing to wait for', async () => {
  const { source, host } = server(answers());
  await readOnce(source, host.clock);
  expect(source.read({ missing: () => {}, inherent: () => {} })).not.toBeInstanceOf(Promise);
  source.close?.();
});

test('more connections than fit a message are cut off, with a reason', async () => {
  const many = Array.from({ length: 15_001 }, (_value, index) => socketMessage({ cookie: BigInt(index), inode: 0 }));
  const { source, host } = server(answers(many));
  const { payload, reasons } = await readOnce(source, host.clock);
  expect(payload?.connections).toHaveLength(15_000);
  expect(reasons.find(({ field }) => field === 'connections')?.reason).toContain('15000');
  expect(JSON.stringify(payload).length).toBeLessThan(4 * 1024 * 1024);
});

test('the texts of 15,000 connections, as long as they can be, fit a message', () => {
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
    ['of no use without a connection', '10000\n', { flags: 0x1003 }, null],
    ['that of another interface, where /sys is of another network', '10000\n', { index: 9 }, null],
  ])('is %s', async (_what, text, link, expected) => {
    const machine = server(answers([], link));
    machine.setSpeed(text);
    expect(await speedOf(machine)).toBe(expected);
  });
});

test('changes are called out while somebody watches, and sockets are given back in the end', async () => {
  const { source, host, netlink } = server(answers());
  let calls = 0;
  const stop = source.watch?.(() => {
    calls += 1;
  });
  await readOnce(source, host.clock);
  // Once when it begins to hear of them.
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

test('a source that is closed before it was ready keeps nothing open', async () => {
  const { source, host, netlink } = server(answers());
  const reading = readOnce(source, host.clock);
  source.close?.();
  await reading;
  expect(netlink.opened()).toBe(0);
});
