import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import { parse } from '../../core/json/parse.ts';
import { partOf, setPart } from '../../core/part.ts';
import type { BroadcastTarget } from '../../host/multicast.ts';
import type { InterfaceAddress } from '../../host/network.ts';
import { wakeInputSchema } from './network.schema.ts';
import { networkBroadcasts, networkWake } from './networks.actions.ts';
import { ipv4Number, ipv4Words, networkBroadcast } from './networks.ipv4.ts';

const card = { mac: '52:54:00:00:00:01', internal: false, scopeId: null, family: 4 } as const;
const lan: InterfaceAddress = { ...card, interface: 'eth0', address: '192.168.1.7', netmask: '255.255.255.0' };
const other: InterfaceAddress = { ...card, interface: 'eth1', address: '10.0.0.9', netmask: '255.0.0.0' };
const loopback: InterfaceAddress = {
  ...card,
  interface: 'lo',
  address: '127.0.0.1',
  netmask: '255.0.0.0',
  internal: true,
};
const tunnel: InterfaceAddress = {
  ...card,
  interface: 'tun0',
  address: '10.9.0.1',
  netmask: '255.255.255.255',
  mac: '',
};

async function wake(input: Record<string, unknown>, addresses = [lan, other, loopback, tunnel]) {
  const sent: (BroadcastTarget & { bytes: string })[] = [];
  const host = fakeHost({ network: { addresses: () => addresses, searchDomains: () => [] } });
  setPart(host, networkBroadcasts, async (bytes, to) => {
    sent.push({ ...to, bytes: Buffer.from(bytes).toString('hex') });
  });
  const { context } = fakeActionContext(host);
  const result = await networkWake.run(parse(wakeInputSchema, input, 'network.wake'), context);
  return { sent, result };
}

const mac = '52:54:00:AB:cd:02';
const packet = `ffffffffffff${'525400abcd02'.repeat(16)}`;

test('the wake-on-LAN packet is sent to every connected network, three times, and neither to loopback nor into tunnels', async () => {
  const { sent, result } = await wake({ mac });
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map(({ bytes }) => bytes))).toEqual(new Set([packet]));
  expect(new Set(sent.map(({ from, address, port }) => `${from} ${address} ${port}`))).toEqual(
    new Set(['192.168.1.7 192.168.1.255 9', '10.0.0.9 10.255.255.255 9']),
  );
  expect(result.data).toEqual({
    mac: '52:54:00:ab:cd:02',
    sent: [
      { interface: 'eth0', broadcast: '192.168.1.255' },
      { interface: 'eth1', broadcast: '10.255.255.255' },
    ],
  });
});

test('the network and the port of the wake-on-LAN packet can be chosen', async () => {
  const { sent } = await wake({ mac: '52-54-00-ab-cd-02', broadcast: '10.255.255.255', port: 7 });
  expect(new Set(sent.map(({ from, address, port }) => `${from} ${address} ${port}`))).toEqual(
    new Set(['10.0.0.9 10.255.255.255 7']),
  );
  const all = await wake({ mac: '525400abcd02', broadcast: '255.255.255.255' });
  expect(all.sent.map(({ address }) => address)).toEqual(Array(6).fill('255.255.255.255'));
});

test.each(['8.8.8.8', '192.168.2.255', '192.168.1.7', '127.255.255.255', '224.0.0.1', '0.0.0.0'])(
  'no wake-on-LAN packet is sent to %s',
  async (broadcast) => {
    await expect(wake({ mac, broadcast })).rejects.toThrow('is not the broadcast address');
  },
);

test.each([
  '',
  'aa:bb:cc:dd:ee',
  'aa:bb:cc:dd:ee:ff:00',
  'aa:bb:cc:dd:ee:fg',
  'aa:bb-cc:dd:ee:ff',
  'ff:ff:ff:ff:ff:ff',
  '00:00:00:00:00:00',
  '01:00:5e:00:00:01',
  `${mac}\n`,
  '../../etc/passwd',
])('the invalid hardware address %p is refused', async (bad) => {
  await expect(wake({ mac: bad })).rejects.toThrow('network.wake');
});

test.each([{ port: 0 }, { port: 65_536 }, { port: 9.5 }, { broadcast: 'example.org' }, { broadcast: 'fe80::1' }])(
  'the invalid input %j is refused',
  async (more) => {
    await expect(wake({ mac, ...more })).rejects.toThrow('network.wake');
  },
);

test('without a network waking fails with that reason', async () => {
  await expect(wake({ mac }, [loopback, tunnel])).rejects.toThrow('not connected to an IPv4 network');
});

test('the packet arrives unchanged', async () => {
  const received: Buffer[] = [];
  const receiver = createSocket('udp4').on('message', (bytes) => received.push(bytes));
  await new Promise<void>((resolve) => receiver.bind(0, resolve));
  try {
    const { port } = receiver.address();
    const send = await partOf(fakeHost({ isRecording: false }), networkBroadcasts);
    await until(async () => {
      await send(Buffer.from(packet, 'hex'), { from: '127.0.0.1', address: '127.255.255.255', port });
      return received.length > 0;
    }, 'it arrives');
    expect(received[0]?.toString('hex')).toBe(packet);
  } finally {
    receiver.close();
  }
});

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
