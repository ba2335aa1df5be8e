import fs from 'node:fs';
import { address, pinned } from '../../ffi.ts';
import type { Arrival, Doorway } from '../../socket-inspector.ts';
import { openLibc } from '../libc.ts';

const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const IPPROTO_TCP = 6;
const TCP_DEFER_ACCEPT = 9;
const TCP_INFO = 11;
const AF_INET = 2;
const AF_INET6 = 10;
const SHUT_RDWR = 2;
const RLIMIT_NOFILE = 7;
const F_GETFL = 3;
const F_SETFL = 4;
const F_SETOWN = 8;
const F_SETSIG = 10;
const O_ASYNC = 0o20000;
/** Ignored where nobody waits for it, other than SIGIO, which would end the process. */
const SIGURG = 23;
/** BPF_RET | BPF_K: returns a constant. */
const BPF_RET = 0x06;

/** https://man7.org/linux/man-pages/man7/tcp.7.html; offsets of struct tcp_info, the same on all 64-bit systems. */
const info = {
  lastDataSent: 44,
  lastDataReceived: 52,
  bytesReceived: 128,
  notSent: 144,
  dataSegmentsSent: 156,
  bytes: 160,
};

export function openDoorway(): Doorway | null {
  const { getsockopt, getsockname, getpeername, getrlimit, setsockopt, listen, shutdown, fcntl } = openLibc({
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i64'], returns: 'i32' },
  });
  const memory = pinned(256);
  const length = pinned(4);
  const view = new DataView(memory.buffer);
  const lengths = new DataView(length.buffer);
  const place = address(memory);
  const lengthPlace = address(length);

  /** Both kinds of name end up in the same memory; its family, null: it is no such socket. */
  const nameOf = (ask: typeof getsockname, descriptor: number): number | null => {
    lengths.setUint32(0, memory.length, true);
    if (ask(descriptor, place, lengthPlace) !== 0) return null;
    const family = view.getUint16(0, true);
    return family === AF_INET || family === AF_INET6 ? family : null;
  };

  const portInMemory = () => view.getUint16(2);

  const option = (descriptor: number, level: number, name: number): boolean => {
    lengths.setUint32(0, memory.length, true);
    return getsockopt(descriptor, level, name, place, lengthPlace) === 0;
  };

  /** Reading the directory takes a descriptor, too: where there is none left, all numbers there can be are tried. */
  const numbers = (): number[] => {
    try {
      return fs.readdirSync(descriptorsDirectory).map(Number);
    } catch {
      return Array.from({ length: limit }, (_, number) => number);
    }
  };

  const ofPort = (port: number): number[] =>
    numbers().filter((descriptor) => nameOf(getsockname, descriptor) !== null && portInMemory() === port);

  const isListening = (descriptor: number) =>
    option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) && view.getUint32(0, true) === 1;

  /** Signals, rather than looking again and again: a listener that nobody knocks at costs nothing. */
  const setSignalling = (descriptor: number, on: boolean) => {
    const flags = fcntl(descriptor, F_GETFL, 0);
    if (flags < 0) return;
    fcntl(descriptor, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
  };

  const limit = getrlimit(RLIMIT_NOFILE, place) === 0 ? Number(view.getBigUint64(0, true)) : 1024;

  return {
    limit,
    descriptors() {
      // Linux has said so since 6.2; before, the directory has to be read.
      const { size } = fs.statSync(descriptorsDirectory);
      return size > 0 ? size : numbers().length;
    },
    memory() {
      try {
        return process.memoryUsage.rss();
      } catch {
        return 0;
      }
    },
    lengthenQueue(port) {
      for (const descriptor of ofPort(port).filter(isListening)) {
        memory.fill(0, 0, 4);
        setsockopt(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, place, 4);
        listen(descriptor, queueLength);
      }
    },
    onKnock(port, knocked) {
      const listeners = ofPort(port).filter(isListening);
      const stop = () => {
        process.off('SIGURG', heard);
        for (const descriptor of listeners) setSignalling(descriptor, false);
      };
      const heard = () => {
        stop();
        knocked();
      };
      process.on('SIGURG', heard);
      for (const descriptor of listeners) {
        fcntl(descriptor, F_SETOWN, process.pid);
        fcntl(descriptor, F_SETSIG, SIGURG);
        setSignalling(descriptor, true);
      }
      return stop;
    },
    connections(port) {
      const arrivals: Arrival[] = [];
      for (const descriptor of ofPort(port)) {
        const family = nameOf(getpeername, descriptor);
        if (family === null) continue;
        const peer = { address: addressIn(memory, family), port: portInMemory() };
        if (!option(descriptor, IPPROTO_TCP, TCP_INFO)) continue;
        arrivals.push({
          descriptor,
          address: peer.address,
          port: peer.port,
          ours: port,
          received: Number(view.getBigUint64(info.bytesReceived, true)),
          answered: view.getUint32(info.dataSegmentsSent, true) > 0,
          unreadMs: view.getUint32(info.notSent, true) > 0 ? view.getUint32(info.lastDataSent, true) : 0,
          idleMs: Math.min(view.getUint32(info.lastDataSent, true), view.getUint32(info.lastDataReceived, true)),
        });
      }
      return arrivals;
    },
    addressesCalledBy(peer, port) {
      const addresses: string[] = [];
      for (const descriptor of ofPort(port)) {
        const theirs = nameOf(getpeername, descriptor);
        if (theirs === null || portInMemory() !== peer.port || addressIn(memory, theirs) !== peer.address) continue;
        const ours = nameOf(getsockname, descriptor);
        if (ours !== null) addresses.push(addressIn(memory, ours));
      }
      return addresses;
    },
    preferNewest(port) {
      // A program of one instruction, struct sock_filter in struct sock_fprog: "the second listener". While there is only one, the kernel
      // finds no second one and takes that. https://man7.org/linux/man-pages/man7/socket.7.html
      const listeners = ofPort(port).filter(isListening);
      const program = pinned(8);
      const programs = new DataView(program.buffer);
      programs.setUint16(0, BPF_RET, true);
      programs.setUint32(4, 1, true);
      memory.fill(0);
      view.setUint16(0, 1, true);
      view.setBigUint64(8, BigInt(address(program)), true);
      for (const descriptor of listeners) setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, place, 16);
    },
    shut: ({ descriptor }) => void shutdown(descriptor, SHUT_RDWR),
  };
}

/** The system has a limit of its own, net.core.somaxconn. */
const queueLength = 4096;
const descriptorsDirectory = '/proc/self/fd';

/** An IPv4 peer of a socket for both families is written as IPv4, as everywhere. */
function addressIn(memory: Uint8Array, family: number): string {
  if (family === AF_INET) return `${memory[4]}.${memory[5]}.${memory[6]}.${memory[7]}`;
  const bytes = memory.subarray(8, 24);
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return shortest(groups);
}

/** The longest run of zeros as `::`, as the runtime writes it. https://www.rfc-editor.org/rfc/rfc5952 */
function shortest(groups: string[]): string {
  const text = groups.join(':');
  const runs = [...text.matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g)];
  const longest = runs.reduce((most, run) => (run[0].length > most.length ? run[0] : most), '');
  if (longest === '') return text;
  const at = text.indexOf(longest);
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}
