import { expect, test } from 'bun:test';
import { placeIpv4 } from './proc-net.ipv4.ts';

const trie = (...local: string[]) =>
  `Main:\n${local.map((address) => `     |-- ${address}\n        /32 host LOCAL\n`).join('')}`;
const heading = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
const route = (name: string, destination: string, flags: string, mask: string) =>
  `${name}\t${destination}\t00000000\t${flags}\t0\t0\t0\t${mask}\t0\t0\t0   \n`;

test('an address belongs to the narrowest network that is reached without a gateway', () => {
  const routes =
    heading +
    route('wide0', '0000000A', '0001', '000000FF') +
    route('eth0', '0001000A', '0001', '00FFFFFF') +
    route('far0', '0001000A', '0003', '80FFFFFF');
  expect(placeIpv4(trie('10.0.1.7', '10.9.9.9'), routes)).toEqual({
    placed: [
      { name: 'eth0', address: '10.0.1.7', prefix: 24, broadcast: null },
      { name: 'wide0', address: '10.9.9.9', prefix: 8, broadcast: null },
    ],
    unplaced: [],
  });
});

test('a broadcast address is listed where the kernel has it', () => {
  const routes = heading + route('eth0', '000200C0', '0001', 'C0FFFFFF');
  const text = `${trie('192.0.2.2')}     |-- 192.0.2.63\n        /32 link BROADCAST\n`;
  expect(placeIpv4(text, routes).placed).toMatchObject([{ prefix: 26, broadcast: '192.0.2.63' }]);
});

test('loopback has no route entry, and default routes are no networks', () => {
  const routes = heading + route('ppp0', '00000000', '0001', '00000000');
  expect(placeIpv4(trie('127.0.0.1', '127.0.0.53', '10.1.1.1'), routes)).toEqual({
    placed: ['127.0.0.1', '127.0.0.53'].map((address) => ({ name: 'lo', address, prefix: 8, broadcast: null })),
    unplaced: ['10.1.1.1'],
  });
});

test('high addresses are not negative numbers', () => {
  const routes = heading + route('eth0', '00A8C0'.padStart(8, '0'), '0001', '00FFFFFF');
  expect(placeIpv4(trie('192.168.0.200'), routes).placed).toMatchObject([{ name: 'eth0', address: '192.168.0.200' }]);
});

test('empty tables give no addresses', () => {
  expect(placeIpv4('', '')).toEqual({ placed: [], unplaced: [] });
});
