/** A TCP or UDP socket as the kernel lists it. Immutable. */
export interface InetSocket {
  /** AF_INET or AF_INET6. */
  readonly family: 2 | 10;
  /** SOCK_STREAM or SOCK_DGRAM. */
  readonly type: 1 | 2;
  /** address:port, IPv6 addresses in brackets. */
  readonly local: string;
  /** null: not connected. */
  readonly remote: string | null;
  readonly status: string;
  /** Inode, by which the processes that hold it are found. 0: none does. */
  readonly inode: number;
  /** User who created it. */
  readonly uid: number;
}

/** By the kernel's numbers, in the terms of netstat. UDP has none. */
const tcpStatuses = [
  'NONE',
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSE',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
  // A half-open connection is another kind of socket inside the kernel.
  'SYN_RECV',
];

export function socketStatusOf(type: 1 | 2, state: number): string {
  return (type === 1 && tcpStatuses[state]) || 'NONE';
}
