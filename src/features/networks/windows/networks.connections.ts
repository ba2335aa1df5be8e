import { ipv4Text, ipv6Text } from '@hostler/netlink/ip-text.ts';
import {
  MIB_TCP6ROW_OWNER_PID,
  MIB_TCPROW_OWNER_PID,
  MIB_UDP6ROW_OWNER_PID,
  MIB_UDPROW_OWNER_PID,
} from '../../../host/windows/native/iphlpapi.structs.ts';
import { readStruct, type Struct, type StructValues } from '../../../host/windows/native/structs.ts';
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

export function parseTcp4(table: Uint8Array): NetworkConnection[] {
  return rowsOf(MIB_TCPROW_OWNER_PID, table).map((row) => {
    const local = endpoint4(row.dwLocalAddr, row.dwLocalPort);
    const remote = endpoint4(row.dwRemoteAddr, row.dwRemotePort);
    return tcp(IPV4, local, remote, row.dwState, row.dwOwningPid);
  });
}

export function parseTcp6(table: Uint8Array): NetworkConnection[] {
  return rowsOf(MIB_TCP6ROW_OWNER_PID, table).map((row) => {
    const local = endpoint6(row.ucLocalAddr, row.dwLocalPort);
    const remote = endpoint6(row.ucRemoteAddr, row.dwRemotePort);
    return tcp(IPV6, local, remote, row.dwState, row.dwOwningPid);
  });
}

export function parseUdp4(table: Uint8Array): NetworkConnection[] {
  return rowsOf(MIB_UDPROW_OWNER_PID, table).map(({ dwLocalAddr, dwLocalPort, dwOwningPid }) =>
    udp(IPV4, endpoint4(dwLocalAddr, dwLocalPort), dwOwningPid),
  );
}

export function parseUdp6(table: Uint8Array): NetworkConnection[] {
  return rowsOf(MIB_UDP6ROW_OWNER_PID, table).map(({ ucLocalAddr, dwLocalPort, dwOwningPid }) =>
    udp(IPV6, endpoint6(ucLocalAddr, dwLocalPort), dwOwningPid),
  );
}

/** The number of rows, then the rows. */
function rowsOf<S extends Struct>(struct: S, table: Uint8Array): StructValues<S>[] {
  const count = new DataView(table.buffer, table.byteOffset, table.length).getUint32(0, true);
  const fits = Math.floor((table.length - 4) / struct.size);
  return Array.from({ length: Math.min(count, fits) }, (_, index) =>
    readStruct(struct, table, 4 + index * struct.size),
  );
}

function tcp(family: number, local: string, remote: string, state: number, pid: number): NetworkConnection {
  const status = statuses[state] ?? 'NONE';
  const isConnected = status !== 'LISTEN' && !remote.endsWith(':0');
  return { fd: null, family, type: STREAM, laddr: local, raddr: isConnected ? remote : null, status, pid: pid || null };
}

const udp = (family: number, local: string, pid: number): NetworkConnection => ({
  fd: null,
  family,
  type: DATAGRAM,
  laddr: local,
  raddr: null,
  status: 'NONE',
  pid: pid || null,
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
