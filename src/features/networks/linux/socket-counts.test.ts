import { expect, test } from 'bun:test';
import { parseTcp, parseUdp } from './socket-counts.ts';

const ipv4 = 'sockets: used 55\nTCP: inuse 22 orphan 1 tw 68 alloc 24 mem 143\nUDP: inuse 7 mem 0\nRAW: inuse 0\n';
const ipv6 = 'TCP6: inuse 3\nUDP6: inuse 4\n';

test('all TCP sockets count, also those in TIME_WAIT', () => {
  expect(parseTcp(ipv4, ipv6)).toBe(93);
});

test('all UDP sockets count', () => {
  expect(parseUdp(ipv4, ipv6)).toBe(11);
  expect(parseUdp(ipv4, null)).toBe(7);
});

test('a kernel without IPv6 has no IPv6 counts', () => {
  expect(parseTcp(ipv4, null)).toBe(90);
});

test('without counts of the kernel the number is unknown', () => {
  expect(parseTcp(null, ipv6)).toBeNull();
  expect(parseTcp('sockets: used 4\n', null)).toBeNull();
  expect(parseUdp(null, ipv6)).toBeNull();
  expect(parseUdp('sockets: used 4\n', null)).toBeNull();
});
