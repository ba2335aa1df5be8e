import { expect, test } from 'bun:test';
import { NetlinkError } from './netlink.ts';
import { createNl80211, type Nl80211 } from './nl80211.ts';
import { fakeNetlink, type Message } from './testing/fake-netlink.ts';

/** Bytes as the kernel lays them out: struct genlmsghdr, then attributes of length, type and value, each filled up to four bytes. */
const message = (hex: string): Message => ({
  type: 28,
  body: Uint8Array.from(Buffer.from(hex.replace(/\s/g, ''), 'hex')),
});

// CTRL_CMD_NEWFAMILY: name, number, version; then the nested list of operations, which is not read.
const nlctrl = message('01020000 0b000200 6e6c6374726c0000 06000100 10000000');
const nl80211 = message(
  '01020000 0c000200 6e6c383032313100 06000100 1c000000 08000300 01000000 18000600 14000100 08000100 01000000 08000200 0e000000',
);
// NL80211_CMD_NEW_INTERFACE of wlan0: ifindex 3, ifname, iftype station, SSID "Café", frequency 5180, width.
const station = message(
  '07010000 08000300 03000000 0a000400 776c616e30000000 08000500 02000000 09003400 436166c3a9000000 08002600 3c140000 08009f00 03000000',
);
// A disconnected interface.
const idle = message('07010000 08000300 04000000 0a000400 776c616e31000000 08000500 02000000');
// NL80211_CMD_NEW_STATION: ifindex, MAC, STA_INFO with signal -61, average -58, 866.7 Mbit/s out and 1201 Mbit/s in.
const peer = message(
  '13010000 08000300 03000000 0a000600 020000000001 0000' +
    ' 34001580 05000700 c3000000 05000d00 c6000000 14000880 06000100 db210000 08000500 db210000 0c000e80 08000500 ea2e0000',
);

const kernel = (interfaces: Message[], stations: Message[]) =>
  fakeNetlink((type, body) => {
    if (type === 16) return [[nlctrl], [nl80211]];
    if (type !== 28) throw new NetlinkError(2);
    if (body[0] === 5) return [interfaces];
    // Only the first one has a peer.
    return [body[8] === 3 ? stations : []];
  });

const readAll = (reader: Nl80211, indexes: number[]) => {
  const reading = reader.read(indexes);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
};

test('a Wi-Fi connection has a name, a frequency, a signal and rates', () => {
  const netlink = kernel([station, idle], [peer]);
  const reader = createNl80211(netlink);
  expect(readAll(reader, [3, 4])).toEqual(
    new Map([
      [
        3,
        {
          ssid: 'Café',
          frequency: 5180,
          signal: -58,
          sendRate: 866.7,
          receiveRate: 1201,
          peer: '02:00:00:00:00:01',
        },
      ],
    ]),
  );
  expect(netlink.opened()).toBe(1);
  reader.close();
  expect(netlink.opened()).toBe(0);
});

test('an access point with two stations has no signal, and other interfaces are left out', () => {
  const two = readAll(createNl80211(kernel([station], [peer, peer])), [3]);
  expect(two?.get(3)).toEqual({
    ssid: 'Café',
    frequency: 5180,
    signal: null,
    sendRate: null,
    receiveRate: null,
    peer: null,
  });
  expect(readAll(createNl80211(kernel([station], [peer])), [7]).size).toBe(0);
});

test('an interface without a network name counts as connected if it has a peer', () => {
  const nameless = message('07010000 08000300 03000000 08000500 02000000 08002600 3c140000');
  expect(readAll(createNl80211(kernel([nameless], [peer])), [3]).get(3)).toMatchObject({ ssid: null, signal: -58 });
  expect(readAll(createNl80211(kernel([nameless], [])), [3]).size).toBe(0);
});

test('a kernel without Wi-Fi has no connections', () => {
  const reader = createNl80211(fakeNetlink(() => [[nlctrl]]));
  expect(readAll(reader, [3]).size).toBe(0);
});

test('truncated, empty and wrongly sized attributes are ignored', () => {
  const whole = Buffer.from(peer.body);
  for (let length = 4; length < whole.length; length++) {
    const cut: Message = { type: 28, body: Uint8Array.from(whole.subarray(0, length)) };
    const link = readAll(createNl80211(kernel([station], [cut])), [3]).get(3);
    expect(link?.ssid).toBe('Café');
  }
  const empty = message('07010000 04000300 04003400 08000300 03000000');
  expect(readAll(createNl80211(kernel([empty], [])), [3]).size).toBe(0);
});
