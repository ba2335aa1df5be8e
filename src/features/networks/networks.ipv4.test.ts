import { expect, test } from 'bun:test';
import { ipv4Number, ipv4Words, networkBroadcast } from './networks.ipv4.ts';

test.each([
  ['192.168.1.7', '255.255.255.0', '192.168.1.255'],
  ['10.1.2.3', '255.0.0.0', '10.255.255.255'],
  ['172.16.5.9', '255.255.240.0', '172.16.15.255'],
  ['203.0.113.5', '255.255.255.252', '203.0.113.7'],
  ['203.0.113.5', '255.255.255.254', null],
  ['203.0.113.5', '255.255.255.255', null],
  ['203.0.113.5', '0.0.0.0', null],
  ['203.0.113.5', '255.0.255.0', null],
  ['fe80::1', 'ffff::', null],
])('the broadcast address of %s with the netmask %s is %p', (address, netmask, all) => {
  expect(networkBroadcast(address, netmask)).toBe(all);
});

test.each(['1.2.3', '1.2.3.256', '1.2.3.4.5', '01234.1.1.1', '', ' 1.2.3.4', '1.2.3.4\n'])(
  '%p is not an IPv4 address',
  (text) => {
    expect(ipv4Number(text)).toBeNull();
  },
);

test('an address survives the conversion to a number and back', () => {
  expect(ipv4Words(ipv4Number('255.254.3.128') ?? 0)).toBe('255.254.3.128');
});
