import { type InetSocket, socketStatusOf } from '@hostler/netlink/inet-socket.ts';
import { ipv4Text, ipv6Text } from '@hostler/netlink/ip-text.ts';
import type { Files } from '../files.ts';

/**
 * In a moved /proc, such as that of a host in a container, /proc/net shows our own network; that of the host is the one of its first process.
 * If that cannot be read, ours must not be used instead. Only in a recording /proc/net is not a link.
 */
export function netDirectory(files: Files): string {
  if (!files.moved('/proc')) return '/proc/net';
  return files.exists('/proc/1/net/dev') || files.link('/proc/net') !== null ? '/proc/1/net' : '/proc/net';
}

export interface InetProtocol {
  family: 2 | 10;
  type: 1 | 2;
}

/**
 * `sl: local remote st tx:rx tr:when retransmits uid timeout inode …` after a line of headings.
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
export function parseSockets(text: string, { family, type }: InetProtocol, most: number): InetSocket[] {
  const sockets: InetSocket[] = [];
  const digits = family === 2 ? 8 : 32;
  const bytes = new DataView(new ArrayBuffer(16));
  const endpoint = (at: number): string => {
    for (let word = 0; word < digits / 8; word++) bytes.setUint32(4 * word, hex(text, at + 8 * word, 8), true);
    return family === 2 ? ipv4Text(bytes, 0) : `[${ipv6Text(bytes, 0)}]`;
  };
  let line = text.indexOf('\n') + 1;
  while (line > 0 && line < text.length && sockets.length < most) {
    const end = text.indexOf('\n', line);
    const local = text.indexOf(':', line) + 2;
    const remote = local + digits + 6;
    const state = remote + digits + 6;
    const remotePort = hex(text, remote + digits + 1, 4);
    const [, , , uid = '', , inode = ''] = text.slice(state + 3, end === -1 ? undefined : end).split(/ +/, 6);
    sockets.push({
      family,
      type,
      local: `${endpoint(local)}:${hex(text, local + digits + 1, 4)}`,
      remote: remotePort === 0 ? null : `${endpoint(remote)}:${remotePort}`,
      status: socketStatusOf(type, hex(text, state, 2)),
      inode: Number(inode),
      uid: Number(uid),
    });
    line = end === -1 ? text.length : end + 1;
  }
  return sockets;
}

const hex = (text: string, at: number, length: number): number => Number.parseInt(text.slice(at, at + length), 16);
