import { expect, test } from 'bun:test';
import { maskText } from '@hostler/netlink/ip-text.ts';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../test/harness/struct-bytes.ts';
import {
  MIB_TCP6ROW_OWNER_PID,
  MIB_TCPROW_OWNER_PID,
  MIB_UDP6ROW_OWNER_PID,
  MIB_UDPROW_OWNER_PID,
} from '../../host/windows/native/iphlpapi.structs.ts';
import { networkBroadcast } from './networks.ipv4.ts';
import { networks } from './networks.ts';
import { networksWindows } from './networks.windows.ts';
import { parseTcp4, parseTcp6, parseUdp4, parseUdp6 } from './windows/networks.connections.ts';

testEachMachine('windows', import.meta.dirname, networks.module, networksWindows);

const number = (count: number) => new Uint8Array(new Uint32Array([count]).buffer);
/** Bytes of an address as a number in host order. */
const address = (...parts: number[]) => new DataView(Uint8Array.from(parts).buffer).getInt32(0, true);
/** 443 and 5353 in network byte order. */
const [https, mdns] = [0xbb01, 0xe914];

test('connections of TCP and UDP, over IPv4 and IPv6', () => {
  const four = structBytes(MIB_TCPROW_OWNER_PID, {
    dwState: 5,
    dwLocalAddr: address(192, 168, 1, 5),
    dwLocalPort: mdns,
    dwRemoteAddr: address(203, 0, 113, 9),
    dwRemotePort: https,
    dwOwningPid: 4120,
  });
  const common = { fd: null, type: 1 };
  expect(parseTcp4(joined(number(1), four))).toEqual([
    { ...common, family: 2, laddr: '192.168.1.5:5353', raddr: '203.0.113.9:443', status: 'ESTABLISHED', pid: 4120 },
  ]);
  const loopback = Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0));
  const six = structBytes(MIB_TCP6ROW_OWNER_PID, {
    dwState: 2,
    ucLocalAddr: loopback,
    dwLocalPort: https,
    dwOwningPid: 4,
  });
  expect(parseTcp6(joined(number(1), six))).toEqual([
    { ...common, family: 10, laddr: '[::1]:443', raddr: null, status: 'LISTEN', pid: 4 },
  ]);
  const udp4 = structBytes(MIB_UDPROW_OWNER_PID, { dwLocalPort: mdns, dwOwningPid: 7 });
  const udp6 = structBytes(MIB_UDP6ROW_OWNER_PID, { ucLocalAddr: loopback, dwLocalPort: mdns, dwOwningPid: 7 });
  const datagram = { fd: null, type: 2, raddr: null, status: 'NONE', pid: 7 };
  expect(parseUdp4(joined(number(1), udp4))).toEqual([{ ...datagram, family: 2, laddr: '0.0.0.0:5353' }]);
  expect(parseUdp6(joined(number(1), udp6))).toEqual([{ ...datagram, family: 10, laddr: '[::1]:5353' }]);
});

test('a table with a wrong length gives its actual rows', () => {
  const row = structBytes(MIB_UDPROW_OWNER_PID, { dwLocalPort: mdns, dwOwningPid: 7 });
  expect(parseUdp4(joined(number(4_000_000_000), row, row.subarray(0, 5)))).toHaveLength(1);
});

test.each([
  ['192.168.1.5', 24, '192.168.1.255'],
  ['10.1.2.3', 8, '10.255.255.255'],
  ['203.0.113.130', 25, '203.0.113.255'],
])('the broadcast address of %s/%i', (own, prefix, broadcast) => {
  expect(networkBroadcast(own, maskText(4, prefix))).toBe(broadcast);
});
