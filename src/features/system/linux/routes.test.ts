import { expect, test } from 'bun:test';
import { ipv6Digits, parseRoutes4, parseRoutes6 } from './routes.ts';

const none = '00000000000000000000000000000000';

test('the default route with the lowest metric comes first; rejecting routes and those that are down do not count', () => {
  const text = [
    'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT',
    'wlan0\t00000000\t0100A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0',
    'eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
    'tun0\t00000000\t0100A8C0\t0003\t0\t0\t50\t00000080\t0\t0\t0',
    'eth1\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    '*\t00000000\t00000000\t0201\t0\t0\t10\t00000000\t0\t0\t0',
    '',
  ].join('\n');
  expect(parseRoutes4(text)).toEqual(['eth0', 'wlan0']);
});

test('IPv6 metrics are hexadecimal, and the reject route of lo does not count', () => {
  const text = [
    `${none} 00 ${none} 00 fe80000000000000000000000000ff01 00000400 00000001 00000000 00000003 wlan0`,
    `${none} 00 ${none} 00 fe80000000000000000000000000ff02 00000064 00000001 00000000 00000003 eth0`,
    `fe800000000000000000000000000000 40 ${none} 00 ${none} 00000100 00000001 00000000 00000001 eth9`,
    `${none} 00 ${none} 00 ${none} 00000001 00000001 00000000 00000201 eth8`,
    `${none} 00 ${none} 00 ${none} ffffffff 00000001 00000000 00200200 lo`,
  ].join('\n');
  expect(parseRoutes6(text)).toEqual(['eth0', 'wlan0']);
});

test.each([
  ['::1', '00000000000000000000000000000001'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['2001:DB8:1:0:5a11:2200:33:4455', '20010db8000100005a11220000334455'],
  ['2001:db8::', '20010db8000000000000000000000000'],
])('the address %s is written out in hexadecimal digits', (address, digits) => {
  expect(ipv6Digits(address)).toBe(digits);
});
