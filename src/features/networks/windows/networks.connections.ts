import { ipv4Text, ipv6Text } from '@hostler/netlink/ip-text.ts';
import {
  MIB_TCP6ROW_OWNER_PID,
  MIB_TCPROW_OWNER_PID,
  MIB_UDP6ROW_OWNER_PID,
  MIB_UDPROW_OWNER_PID,
} from '../../../host/windows/native/iphlpapi.structs.ts';
import { readStructs, type Struct, type StructValues } from '../../../host/windows/native/structs.ts';
import type { NetworkConnection } from '../networks.schema.ts';

/** The states of Windows, in the names of the other platforms. */
const statuses = [
  'NONE',
  'CLOSE',
  'LISTEN',
  'SYN_SENT',
  'SYN_RECV',
  'ESTABLISHED',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'CLOSE_WAIT',
  'CLOSING',
  'LAST_ACK',
  'TIME_WAIT',
  'DELETE_TCB',
];

const { STREAM, DATAGRAM, IPV4, IPV6 } = { STREAM: 1, DATAGRAM: 2, IPV4: 2, IPV6: 10 };

export const parseTcp4 = (table: Uint8Array) =>
  rowsOf(MIB_TCPROW_OWNER_PID, table).map((row) =>
    tcp(IPV4, endpoint4(row.dwLocalAddr, row.dwLocalPort), endpoint4(row.dwRemoteAddr, row.dwRemotePort), row),
  );

export const parseTcp6 = (table: Uint8Array) =>
  rowsOf(MIB_TCP6ROW_OWNER_PID, table).map((row) =>
    tcp(IPV6, endpoint6(row.ucLocalAddr, row.dwLocalPort), endpoint6(row.ucRemoteAddr, row.dwRemotePort), row),
  );

export const parseUdp4 = (table: Uint8Array) =>
  rowsOf(MIB_UDPROW_OWNER_PID, table).map((row) => udp(IPV4, endpoint4(row.dwLocalAddr, row.dwLocalPort), row));

export const parseUdp6 = (table: Uint8Array) =>
  rowsOf(MIB_UDP6ROW_OWNER_PID, table).map((row) => udp(IPV6, endpoint6(row.ucLocalAddr, row.dwLocalPort), row));

/** The number of rows, then the rows. */
const rowsOf = <S extends Struct>(struct: S, table: Uint8Array): StructValues<S>[] =>
  readStructs(struct, table, new DataView(table.buffer, table.byteOffset, table.length).getUint32(0, true), 4);

interface Owned {
  dwOwningPid: number;
}

function tcp(family: number, laddr: string, remote: string, row: Owned & { dwState: number }): NetworkConnection {
  const status = statuses[row.dwState] ?? 'NONE';
  const raddr = status !== 'LISTEN' && !remote.endsWith(':0') ? remote : null;
  return { fd: null, family, type: STREAM, laddr, raddr, status, pid: row.dwOwningPid || null };
}

const udp = (family: number, laddr: string, { dwOwningPid }: Owned): NetworkConnection => ({
  fd: null,
  family,
  type: DATAGRAM,
  laddr,
  raddr: null,
  status: 'NONE',
  pid: dwOwningPid || null,
});

/** The first two bytes, in network byte order. */
const portOf = (port: number) => ((port & 0xff) << 8) | ((port >> 8) & 0xff);

function endpoint4(address: number, port: number): string {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, address, true);
  return `${ipv4Text(view, 0)}:${portOf(port)}`;
}

function endpoint6(address: Uint8Array, port: number): string {
  const view = new DataView(address.buffer, address.byteOffset, 16);
  return `[${ipv6Text(view, 0)}]:${portOf(port)}`;
}
