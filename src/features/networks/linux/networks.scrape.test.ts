import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import { networksMetricsLinux } from './networks.scrape.ts';

const eth0 = '/sys/class/net/eth0';

const machine = {
  '/proc/net/dev': 'Inter-|   Receive\n face |bytes\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n',
  [`${eth0}/flags`]: '0x1003\n',
  [`${eth0}/operstate`]: 'up\n',
  [`${eth0}/mtu`]: '1500\n',
  [`${eth0}/speed`]: '1000\n',
  [`${eth0}/duplex`]: 'full\n',
  [`${eth0}/carrier_changes`]: '2\n',
  [`${eth0}/address`]: '02:00:00:00:00:01\n',
  '/sys/class/net/eth2/flags': '0x1003\n',
  '/sys/class/net/eth2/speed': '-1\n',
  [`${eth0}/statistics/rx_nohandler`]: '17\n',
  '/sys/class/net/eth1/flags': '0x1002\n',
  '/sys/class/net/eth1/operstate': 'down\n',
  '/sys/class/net/eth1/carrier': '1\n',
  '/sys/class/net/bonding_masters': 'bond0\n',
  '/sys/class/net/bond0/bonding/slaves': 'eth0 eth1\n',
  '/sys/class/net/eth0/bonding_slave/mii_status': 'up\n',
  '/sys/class/net/eth1/bonding_slave/mii_status': 'down\n',
  '/proc/net/snmp': 'Tcp: ActiveOpens CurrEstab Odd\nTcp: 5 6 7\nUdpLite: InErrors\nUdpLite: 1\n',
  '/proc/net/netstat': 'TcpExt: SyncookiesSent ListenDrops TW\nTcpExt: 1 2 3\n',
  '/proc/net/snmp6':
    'Ip6InOctets                     \t123\nIcmp6OutType135 \t9\nUdpLite6InErrors\t4\nUdpLite6NoPorts\t4\n',
  '/proc/net/sockstat': 'sockets: used 58\nTCP: inuse 5 orphan 0 tw 2 alloc 7 mem 3\nUDP: inuse 2 mem 0\n',
  '/proc/net/softnet_stat':
    '0000000a 00000001 00000002 0 0 0 0 0 00000003 00000004 00000005 00000006 00000000\n0000000b 0 0 0 0 0 0 0 0 0 0 0 00000002\n',
  '/proc/net/arp':
    'IP address HW type Flags HW address Mask Device\n192.0.2.1 0x1 0x2 00:00:00:00:00:01 * eth0\n192.0.2.2 0x1 0x2 00:00:00:00:00:02 * eth0\n',
  '/proc/net/udp':
    '  sl  local_address rem_address   st tx_queue rx_queue\n 1: 00000000:14E9 00000000:0000 07 00000010:00000100 00:00000000\n',
  '/proc/net/tcp':
    '  sl  local_address rem_address   st\n   0: 0100007F:1 00000000:0000 0A 0:0\n   1: 0100007F:2 0100007F:3 01 0:0\n   2: 0100007F:3 0100007F:2 01 0:0\n',
  '/proc/sys/net/netfilter/nf_conntrack_count': '12\n',
  '/proc/sys/net/netfilter/nf_conntrack_max': '1000\n',
  '/proc/net/stat/nf_conntrack':
    'entries  searched found drop\n0000000c  00000000 00000001 0000000a\n0000000c  00000000 00000002 00000001\n',
};

test('network metrics of the kernel have the names of node_exporter', async () => {
  const netlink = async () => {
    throw new Error('refused');
  };
  const metrics = await networksMetricsLinux(fakeHost({ files: machineFiles(machine), netlink }));
  const all = [
    'node_network_receive_multicast_total{device="eth0"} 8',
    'node_network_transmit_colls_total{device="eth0"} 14',
    'node_network_receive_nohandler_total{device="eth0"} 17',
    'node_network_speed_bytes{device="eth0"} 125000000',
    // node_exporter exports -1 Mbit/s for an unknown speed.
    'node_network_speed_bytes{device="eth2"} -125000',
    'node_network_carrier_changes_total{device="eth0"} 2',
    'node_network_up{device="eth1"} 0',
    'hostler_network_up{device="eth0"} 1',
    'node_network_info{device="eth0",address="02:00:00:00:00:01",broadcast="",duplex="full",operstate="up",ifalias=""} 1',
    'node_bonding_slaves{master="bond0"} 2',
    'node_bonding_active{master="bond0"} 1',
    'node_netstat_Tcp_CurrEstab 6',
    'node_netstat_TcpExt_ListenDrops 2',
    'node_netstat_UdpLite_InErrors 1',
    'node_netstat_UdpLite6_InErrors 4',
    'node_netstat_Ip6_InOctets 123',
    'node_sockstat_sockets_used 58',
    'node_sockstat_TCP_mem_bytes 12288',
    'node_softnet_processed_total{cpu="0"} 10',
    'node_softnet_processed_total{cpu="2"} 11',
    'node_softnet_backlog_len{cpu="0"} 6',
    'node_arp_entries{device="eth0"} 2',
    'node_udp_queues{ip="v4",queue="tx"} 16',
    'node_udp_queues{ip="v4",queue="rx"} 256',
    'node_nf_conntrack_entries_limit 1000',
    'node_nf_conntrack_stat_drop 11',
    'hostler_connections{status="ESTABLISHED"} 2',
    'hostler_connections{status="LISTEN"} 1',
    'hostler_connections{status="NONE"} 2',
  ];
  for (const line of all) expect(linesOf(metrics, line.split(/[ {]/)[0] ?? '')).toContain(line);
  // Attributes that the kernel refuses are not read for an interface that is down.
  expect(linesOf(metrics, 'node_network_carrier')).toEqual([]);
  expect(linesOf(metrics, 'node_netstat_Tcp_Odd')).toEqual([]);
  expect(linesOf(metrics, 'node_netstat_UdpLite6_NoPorts')).toEqual([]);
});

test('slowly changing attributes of a link are read again after a minute, and at once when the link changes', async () => {
  const files = machineFiles(machine);
  const netlink = async () => {
    throw new Error('refused');
  };
  const host = fakeHost({ files, netlink });
  const mtu = async () => linesOf(await networksMetricsLinux(host), 'node_network_mtu_bytes')[0]?.split(' ')[1];
  expect(await mtu()).toBe('1500');
  files.write(`${eth0}/mtu`, '9000\n');
  host.clock.advance(10_000);
  expect(await mtu()).toBe('1500');
  host.clock.advance(60_000);
  expect(await mtu()).toBe('9000');
  files.write(`${eth0}/mtu`, '1400\n');
  files.write(`${eth0}/carrier_changes`, '3\n');
  expect(await mtu()).toBe('1400');
});
