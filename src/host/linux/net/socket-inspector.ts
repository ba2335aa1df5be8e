import { once } from '../../../lib/lazily.ts';
import { address, pinned } from '../../ffi.ts';
import type { OpenConnection, SocketInspector } from '../../socket-inspector.ts';
import { libc } from '../libc.ts';
import { createNetlink } from './netlink.socket.ts';
import { descriptorNumbers, ownSockets } from './own-sockets.ts';
import { localPeers } from './peer-user.ts';

const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
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
/** Ignored by default, unlike SIGIO, which would end the process. */
const SIGURG = 23;

/** https://man7.org/linux/man-pages/man7/tcp.7.html; offsets of struct tcp_info, the same on all 64-bit systems. */
const info = {
  lastDataSent: 44,
  lastDataReceived: 52,
  bytesReceived: 128,
  notSent: 144,
  dataSegmentsSent: 156,
};

/** Of this process's own descriptors: `HOSTLER_PROC` does not apply. */
export function openSocketInspector(): SocketInspector {
  const calls = openCalls();
  const { limit } = calls;
  const listenersOf = createListenerSearch(calls);
  const netlink = once(createNetlink);
  return {
    limit,
    descriptors: () => ownSockets.countDescriptors() ?? limit,
    memory() {
      try {
        return process.memoryUsage.rss();
      } catch {
        return 0;
      }
    },
    onNextConnection(ports, arrived) {
      const listeners = ports.flatMap(listenersOf);
      const stop = () => {
        process.off('SIGURG', signalled);
        for (const descriptor of listeners) calls.setSignal(descriptor, false);
      };
      const signalled = () => {
        stop();
        arrived();
      };
      process.on('SIGURG', signalled);
      for (const descriptor of listeners) calls.setSignal(descriptor, true);
      return stop;
    },
    raiseBacklog(port) {
      for (const descriptor of listenersOf(port)) calls.raiseBacklog(descriptor);
    },
    connections: (port) => ofPort(calls, port).flatMap((descriptor) => connectionAt(calls, descriptor, port) ?? []),
    localPeers: (port) => localPeers(port, netlink()),
    shut: ({ descriptor }) => calls.shut(descriptor),
  };
}

type Calls = ReturnType<typeof openCalls>;

/** The calls of the C library, over one buffer that holds the last result. */
function openCalls() {
  const { getsockopt, getsockname, getpeername, getrlimit, setsockopt, listen, shutdown, fcntl } = libc;
  const memory = pinned(256);
  const length = pinned(4);
  const view = new DataView(memory.buffer);
  const lengths = new DataView(length.buffer);
  const place = address(memory);
  const lengthPlace = address(length);

  /** Writes the name into `memory` and returns its family; null: the descriptor is not an IP socket. */
  const nameOf = (read: typeof getsockname, descriptor: number): number | null => {
    lengths.setUint32(0, memory.length, true);
    if (read(descriptor, place, lengthPlace) !== 0) return null;
    const family = view.getUint16(0, true);
    return family === AF_INET || family === AF_INET6 ? family : null;
  };

  return {
    limit: getrlimit(RLIMIT_NOFILE, place) === 0 ? Number(view.getBigUint64(0, true)) : 1024,
    view,
    localName: (descriptor: number) => nameOf(getsockname, descriptor),
    peerName: (descriptor: number) => nameOf(getpeername, descriptor),
    /** Of the last name. */
    port: () => view.getUint16(2),
    address: (family: number) => addressIn(memory, family),
    /** Writes the value into `view`; false: the call failed. */
    option(descriptor: number, level: number, name: number): boolean {
      lengths.setUint32(0, memory.length, true);
      return getsockopt(descriptor, level, name, place, lengthPlace) === 0;
    },
    /** Whether the kernel sends a signal when a connection arrives. */
    setSignal(descriptor: number, on: boolean): void {
      const flags = fcntl(descriptor, F_GETFL, 0);
      if (flags < 0) return;
      if (on) fcntl(descriptor, F_SETOWN, process.pid);
      if (on) fcntl(descriptor, F_SETSIG, SIGURG);
      fcntl(descriptor, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
    },
    raiseBacklog(descriptor: number): void {
      memory.fill(0, 0, 4);
      setsockopt(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, place, 4);
      listen(descriptor, backlog);
    },
    shut: (descriptor: number) => void shutdown(descriptor, SHUT_RDWR),
  };
}

const isOfPort = (calls: Calls, descriptor: number, port: number) =>
  calls.localName(descriptor) !== null && calls.port() === port;

const isListening = (calls: Calls, descriptor: number) =>
  calls.option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) && calls.view.getUint32(0, true) === 1;

const ofPort = (calls: Calls, port: number): number[] =>
  possibleDescriptors(calls.limit).filter((descriptor) => isOfPort(calls, descriptor, port));

/** Searches again only when one of the known descriptors is no longer a listener of its port. */
function createListenerSearch(calls: Calls): (port: number) => number[] {
  const known = new Map<number, number[]>();
  return (port) => {
    const before = known.get(port) ?? [];
    const isValid = (descriptor: number) => isOfPort(calls, descriptor, port) && isListening(calls, descriptor);
    if (before.length > 0 && before.every(isValid)) return before;
    const found = ofPort(calls, port).filter((descriptor) => isListening(calls, descriptor));
    known.set(port, found);
    return found;
  };
}

function connectionAt(calls: Calls, descriptor: number, localPort: number): OpenConnection | null {
  const { view } = calls;
  const family = calls.peerName(descriptor);
  if (family === null) return null;
  const peer = { address: calls.address(family), port: calls.port() };
  if (!calls.option(descriptor, IPPROTO_TCP, TCP_INFO)) return null;
  return {
    descriptor,
    ...peer,
    localPort,
    received: Number(view.getBigUint64(info.bytesReceived, true)),
    answered: view.getUint32(info.dataSegmentsSent, true) > 0,
    unreadMs: view.getUint32(info.notSent, true) > 0 ? view.getUint32(info.lastDataSent, true) : 0,
    idleMs: Math.min(view.getUint32(info.lastDataSent, true), view.getUint32(info.lastDataReceived, true)),
  };
}

/** The kernel caps it at net.core.somaxconn. */
const backlog = 4096;

/** Without a free descriptor to read the directory with, every possible number is tried. */
function possibleDescriptors(limit: number): number[] {
  return descriptorNumbers() ?? Array.from({ length: limit }, (_, number) => number);
}

/** An IPv4 peer of a dual-stack socket is written as IPv4. */
export function addressIn(memory: Uint8Array, family: number): string {
  if (family === AF_INET) return `${memory[4]}.${memory[5]}.${memory[6]}.${memory[7]}`;
  const bytes = memory.subarray(8, 24);
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  // The runtime's own notation: https://www.rfc-editor.org/rfc/rfc5952
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
