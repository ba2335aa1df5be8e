import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { InterfaceAddress } from '../../../host/network.ts';
import { readAddresses } from './system.addresses.ts';

const at = (name: string, address: string, mac = '02:00:00:00:00:01'): InterfaceAddress => ({
  interface: name,
  family: address.includes(':') ? 6 : 4,
  address,
  mac,
  internal: name === 'lo',
  scopeId: null,
});
const zeros = '00:00:00:00:00:00';
const routeOver = (...names: string[]) =>
  ['header', ...names.map((name, metric) => `${name} 00000000 0100A8C0 0003 0 0 ${metric} 00000000 0 0 0`)].join('\n');
const none = '0'.repeat(32);
const routeOver6 = (name: string) => `${none} 00 ${none} 00 ${none} 00000400 00000001 00000000 00000003 ${name}\n`;

function addresses(list: InterfaceAddress[], contents: Record<string, string>) {
  const { reasons, collected } = collectReasons();
  const found = readAddresses(
    fakeHost({ files: machineFiles(contents), network: { addresses: () => list, searchDomains: () => [] } }),
    reasons,
  );
  return { ...found, reasons: collected.map(({ field }) => field) };
}

test('each family has its own default route', () => {
  const list = [
    at('lo', '127.0.0.1', zeros),
    at('eth0', '192.0.2.1'),
    at('eth0', '2001:db8::1'),
    at('eth1', '2001:db8::2'),
  ];
  const files = { '/proc/net/route': routeOver('eth0'), '/proc/net/ipv6_route': routeOver6('eth1') };
  expect(addresses(list, files)).toEqual({
    ip_address_4: '192.0.2.1',
    ip_address_6: '2001:db8::2',
    mac_address: '02:00:00:00:00:01',
    reasons: [],
  });
});

test('the address with the longest lifetime and the widest scope is taken', () => {
  const flags: [string, string][] = [
    ['fe80::1', '80'],
    ['fd00::1', '80'],
    ['2001:db8::1', '20'],
    ['2001:db8::2', '01'],
    ['2001:db8::3', '40'],
    ['2001:db8::4', '00'],
  ];
  const digits = (address: string) => {
    const [head = '', tail = ''] = address.split('::');
    const left = head
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join('');
    return left + tail.padStart(32 - left.length, '0');
  };
  const table = flags.map(([address, bits]) => `${digits(address)} 02 40 00 ${bits} eth0`).join('\n');
  const files = { '/proc/net/ipv6_route': routeOver6('eth0'), '/proc/net/if_inet6': table };
  const all = flags.map(([address]) => at('eth0', address));
  const order = ['2001:db8::4', '2001:db8::2', 'fd00::1', '2001:db8::1', '2001:db8::3', 'fe80::1'];
  for (const [index, expected] of order.entries()) {
    const left = all.filter(({ address }) => !order.slice(0, index).includes(address));
    expect(addresses(left, files).ip_address_6).toBe(expected);
  }
});

test('a self-assigned address is the last choice', () => {
  const list = [at('eth0', '169.254.7.7'), at('eth0', '192.0.2.1')];
  expect(addresses(list, { '/proc/net/route': routeOver('eth0') }).ip_address_4).toBe('192.0.2.1');
});

test('without a default route a network card comes before a bridge', () => {
  const list = [at('docker0', '172.17.0.1', '02:42:00:00:00:01'), at('eth0', '192.0.2.1', '02:00:00:00:00:09')];
  const found = addresses(list, { '/sys/class/net/eth0/device/vendor': '0x8086\n' });
  expect(found).toMatchObject({ ip_address_4: '192.0.2.1', mac_address: '02:00:00:00:00:09' });
});

test('a tunnel has no hardware address: that of the next route is taken', () => {
  const list = [at('wg0', '10.0.0.2', zeros), at('eth0', '192.0.2.1', '02:00:00:00:00:09')];
  const found = addresses(list, { '/proc/net/route': routeOver('wg0', 'eth0') });
  expect(found).toMatchObject({ ip_address_4: '10.0.0.2', mac_address: '02:00:00:00:00:09' });
});

test('the zone of a link-local address is left out', () => {
  expect(addresses([at('eth0', 'fe80::1%eth0')], {}).ip_address_6).toBe('fe80::1');
});

test('unknown addresses are empty, with a reason', () => {
  expect(addresses([at('lo', '127.0.0.1', zeros)], {})).toEqual({
    ip_address_4: '',
    ip_address_6: '',
    mac_address: '',
    reasons: ['ip_address_4', 'ip_address_6', 'mac_address'],
  });
});
