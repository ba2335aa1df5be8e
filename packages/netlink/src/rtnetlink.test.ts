import { describe, expect, test } from 'bun:test';
import { createRtnetlink, parseLink, parseLinkAddress } from './rtnetlink.ts';
import { addressMessage, fakeNetlink, linkMessage, type Message, viewOf } from './testing/fake-netlink.ts';

const toLink = ({ body }: Message) => parseLink(viewOf(body), 0, body.length);
const toAddress = ({ body }: Message) => parseLinkAddress(viewOf(body), 0, body.length);

describe('a network link', () => {
  const counters = Array.from({ length: 24 }, (_value, index) => BigInt(index) * 1000n);

  test('has its name, flags, addresses and counters', () => {
    const link = toLink(
      linkMessage({
        index: 4,
        flags: 0x1043,
        name: 'eth0',
        mtu: 1400,
        mac: [2, 0xfc, 0, 0, 0, 1],
        broadcast: [255, 255, 255, 255, 255, 255],
        operstate: 6,
        carrierChanges: 3,
        counters,
      }),
    );
    expect(link).toEqual({
      index: 4,
      name: 'eth0',
      flags: 0x1043,
      mtu: 1400,
      mac: '02:fc:00:00:00:01',
      macBroadcast: 'ff:ff:ff:ff:ff:ff',
      kind: null,
      state: '4163 6 3',
      counters: {
        packetsReceived: 0,
        packetsSent: 1000,
        bytesReceived: 2000,
        bytesSent: 3000,
        errorsIn: 4000,
        errorsOut: 5000,
        // Dropped by the kernel and missed by the device.
        dropsIn: 6000 + 14_000,
        dropsOut: 7000,
      },
    });
  });

  test('counts beyond 32 bits', () => {
    const large = counters.with(2, 0x12_3456_7890n);
    expect(toLink(linkMessage({ counters: large }))?.counters?.bytesReceived).toBe(0x12_3456_7890);
  });

  test('has no broadcast address where nothing is broadcast, such as on loopback', () => {
    const loopback = { name: 'lo', flags: 0x49, mac: [0, 0, 0, 0, 0, 0], broadcast: [0, 0, 0, 0, 0, 0] };
    expect(toLink(linkMessage(loopback))).toMatchObject({ mac: '00:00:00:00:00:00', macBroadcast: null });
  });

  test('of another kind, such as the port of a bridge, is left out', () => {
    expect(toLink(linkMessage({ family: 7, name: 'veth0' }))).toBeNull();
  });

  test.each<[string, string, string]>([
    ['wireguard', '0e000100 776972656775617264 00 0000', 'wireguard'],
    ['tun', '08000100 74756e00 0c000200 05000300 01000000', 'tun'],
    ['tap, which the kernel calls tun', '08000100 74756e00 0c000200 05000300 02000000', 'tap'],
    ['cut off', '08000100 74756e00 0c000200 05000300', 'tun'],
  ])('has a kind: %s', (_name, hex, kind) => {
    const info = [...Buffer.from(hex.replaceAll(' ', ''), 'hex')];
    expect(toLink(linkMessage({ name: 'x', info }))?.kind).toBe(kind);
  });

  test('that is truncated is read as far as possible', () => {
    const { body } = linkMessage({ name: 'eth0', mtu: 1500 });
    expect(parseLink(viewOf(body), 0, body.length - 2)).toMatchObject({ name: 'eth0', mtu: 0 });
  });
});

describe('a network address', () => {
  test('of IPv4 has its broadcast address', () => {
    const own = [192, 0, 2, 2];
    expect(toAddress(addressMessage({ index: 4, address: own, local: own, broadcast: [192, 0, 2, 255] }))).toEqual({
      index: 4,
      family: 4,
      address: '192.0.2.2',
      prefix: 24,
      broadcast: '192.0.2.255',
      peer: null,
      isLinkLocal: false,
    });
  });

  test('of a point-to-point connection has its other end', () => {
    const message = addressMessage({ prefix: 32, address: [10, 0, 0, 2], local: [10, 0, 0, 1] });
    expect(toAddress(message)).toMatchObject({ address: '10.0.0.1', peer: '10.0.0.2' });
  });

  test('of IPv6 has its scope', () => {
    const address = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    const of = (scope: number) => toAddress(addressMessage({ family: 10, prefix: 64, scope, address }));
    expect(of(253)).toMatchObject({ family: 6, address: 'fe80::1', prefix: 64, peer: null, isLinkLocal: true });
    expect(of(0)).toMatchObject({ isLinkLocal: false });
  });

  test('of another family is left out', () => {
    expect(toAddress(addressMessage({ family: 28, address: [1, 2, 3, 4] }))).toBeNull();
  });
});

test('tables come in pieces', () => {
  const tables = createRtnetlink(
    fakeNetlink((type) =>
      type === 18
        ? [[linkMessage({ index: 1, name: 'lo' })], [linkMessage({ index: 2, name: 'eth0' })]]
        : [[addressMessage({ index: 1, address: [127, 0, 0, 1] })]],
    ),
  );
  const steps = tables.read();
  let last = steps.next();
  while (last.done !== true) last = steps.next();
  expect(last.value.links.map(({ name }) => name)).toEqual(['lo', 'eth0']);
  expect(last.value.addresses.map(({ address }) => address)).toEqual(['127.0.0.1']);
});

test('a table that changed while it was read is read again, a limited number of times', () => {
  const kernel = fakeNetlink(() => []);
  const asked: number[] = [];
  const tables = createRtnetlink({
    ...kernel,
    open: () => ({
      *ask(type) {
        asked.push(type);
        return type === 22 && asked.filter((one) => one === 22).length === 2;
      },
      find() {},
      close() {},
    }),
  });
  const steps = tables.read();
  while (steps.next().done !== true);
  expect(asked).toEqual([18, 18, 18, 22, 22]);
});
