import fs from 'node:fs';
import type { CarrierEvents, ConnectCarrier, LocalSocket, LocalSocketEvents, Peer } from '@hostler/io/local-socket.ts';
import { address, followSocket, type Pointer, pinned } from '../ffi.ts';
import { libc } from './libc.ts';
import { verifyPeer } from './peer-credentials.ts';

/** Connections to local servers that carry descriptors, unlike those of the runtime. */
export type DescriptorConnect = ReturnType<typeof createDescriptorConnect>;

export interface DescriptorOptions {
  /**
   * Whether descriptors are expected. Then the socket is polled every few milliseconds, since the event loop discards
   * descriptors: for short requests only.
   */
  receives: boolean;
  /** For a long-lived connection: the kernel sends a signal when data arrives, so that no polling is needed. */
  lasting?: boolean;
}

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const F_SETFL = 4;
const F_SETOWN = 8;
const F_SETSIG = 10;
const O_ASYNC = 0o20000;
/** Ignored without a handler, unlike SIGIO, which would end the process. */
const SIGURG = 23;
const longestPath = 107;
const pollEveryMs = 3;
/** Messages of up to 16 KiB in one turn of the event loop. */
const mostAtOnce = 16;

export function createDescriptorConnect({ receives, lasting = false }: DescriptorOptions) {
  const received = createReceived(fs.closeSync);
  let attached: number | null = null;
  return {
    /** Attached to the next sent bytes; it stays open here. */
    attach(descriptor: number) {
      attached = descriptor;
    },
    /** The first received descriptor that was not taken yet; the caller closes it. */
    take: received.take,
    connect(path: string, events: LocalSocketEvents, peer: Peer): Promise<LocalSocket> {
      const takeAttached = () => {
        const descriptor = attached;
        attached = null;
        return descriptor;
      };
      const extended = { ...events, descriptors: received.add };
      return openSocket({ path, peer }, extended, lasting ? 'signalled' : receives, takeAttached);
    },
  };
}

/** More than a server sends before the first of them is taken. */
const mostWaiting = 64;

/** Descriptors that were not taken yet. A server cannot use up ours: further ones are closed. */
export function createReceived(close: (descriptor: number) => void) {
  const waiting: number[] = [];
  return {
    take: () => waiting.shift() ?? null,
    add(list: readonly number[]) {
      for (const descriptor of list) {
        if (waiting.length < mostWaiting) waiting.push(descriptor);
        else close(descriptor);
      }
    },
  };
}

/** The same with a callback for received descriptors. */
export const connectCarrier: ConnectCarrier = (path, events, peer) =>
  openSocket({ path, peer }, events, true, () => null);

async function openSocket(
  { path, peer }: { path: string; peer: Peer },
  events: CarrierEvents,
  receives: boolean | 'signalled',
  takeAttached: () => number | null,
): Promise<LocalSocket> {
  const descriptor = connectedTo(path, peer);
  let isOpen = true;
  const ended = (problem: Error | null) => {
    isOpen = false;
    events.closed(problem);
  };
  const wake = receives === 'signalled' ? bySignal(descriptor, libc.fcntl) : byTimer;
  const stop = receives
    ? poll(descriptor, libc.recvmsg, { ...events, closed: ended }, wake)
    : await followSocket(descriptor, events.data, (problem) => ended(new Error(problem)));
  return {
    send(bytes) {
      if (!isOpen) return;
      const message = outgoing(bytes, takeAttached());
      const sent = Number(libc.sendmsg(descriptor, address(message.header), MSG_NOSIGNAL));
      if (sent !== bytes.length) throw new Error('it does not accept data');
    },
    close() {
      isOpen = false;
      stop();
    },
  };
}

/** The descriptor of a connection to a local server whose user was verified. */
export function connectedTo(path: string, peer: Peer): number {
  const name = unixName(path);
  const descriptor = libc.socket(AF_UNIX, SOCK_STREAM | fs.constants.O_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error('the system refused to create a socket');
  try {
    if (libc.connect(descriptor, address(name), name.length) !== 0)
      throw new Error(`no server answers at ${path.replace('\0', '@')}`);
    verifyPeer(descriptor, path, peer);
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

type Receive = (descriptor: number, header: Pointer, flags: number) => number | bigint;

/** Calls back whenever there may be something to read; returns the function that stops. */
type Wake = (poll: () => void) => () => void;

const byTimer: Wake = (poll) => {
  const timer = setInterval(poll, pollEveryMs);
  return () => clearInterval(timer);
};

const bySignal =
  (descriptor: number, fcntl: (descriptor: number, command: number, value: number) => number): Wake =>
  (poll) => {
    process.on('SIGURG', poll);
    fcntl(descriptor, F_SETOWN, process.pid);
    fcntl(descriptor, F_SETSIG, SIGURG);
    fcntl(descriptor, F_SETFL, fs.constants.O_NONBLOCK | O_ASYNC);
    return () => void process.off('SIGURG', poll);
  };

function poll(
  descriptor: number,
  recvmsg: Receive,
  { data, closed, descriptors }: CarrierEvents,
  wake: Wake,
): () => void {
  const message = incoming();
  let isOpen = true;
  let isContinuing = false;
  /** In a later turn: a server that sends faster than it is read must not keep this process from anything else. */
  const continueSoon = () => {
    isContinuing = true;
    setImmediate(() => {
      isContinuing = false;
      poll();
    });
  };
  const poll = () => {
    if (isContinuing) return;
    // Nothing to read and a broken socket are indistinguishable here: requests have a time limit.
    for (let count = 0; isOpen; count++) {
      if (count === mostAtOnce) return continueSoon();
      const length = Number(recvmsg(descriptor, message.header(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
      if (length < 0) return;
      if (length === 0) {
        stop();
        return closed(null);
      }
      const came = message.descriptors();
      if (came.length > 0) descriptors(came);
      data(message.bytes(length));
    }
  };
  const sleep = wake(poll);
  const stop = () => {
    if (isOpen) fs.closeSync(descriptor);
    isOpen = false;
    sleep();
  };
  return stop;
}

/** struct sockaddr_un; an abstract name begins with a NUL and ends by its length. */
function unixName(path: string): Uint8Array {
  const bytes = Buffer.from(path);
  if (bytes.length > longestPath) throw new Error(`the path ${path} is too long for a socket`);
  const name = pinned(2 + bytes.length + (path.startsWith('\0') ? 0 : 1));
  new DataView(name.buffer).setUint16(0, AF_UNIX, true);
  name.set(bytes, 2);
  return name;
}

const headerBytes = 56;
const rightsBytes = 24;

/** struct msghdr of 64-bit systems, with the memory it points to. https://man7.org/linux/man-pages/man2/send.2.html */
function outgoing(bytes: Uint8Array, descriptor: number | null) {
  const content = pinned(bytes.length);
  content.set(bytes);
  const control = pinned(rightsBytes);
  if (descriptor !== null) {
    const rights = new DataView(control.buffer);
    rights.setBigUint64(0, 20n, true);
    rights.setInt32(8, SOL_SOCKET, true);
    rights.setInt32(12, SCM_RIGHTS, true);
    rights.setInt32(16, descriptor, true);
  }
  const vector = vectorOf(content);
  const header = pinned(headerBytes);
  fill(header, vector, descriptor === null ? null : control);
  return { header, held: [content, control, vector] };
}

function incoming() {
  const data = pinned(16 * 1024);
  const control = pinned(512);
  const vector = vectorOf(data);
  const header = pinned(headerBytes);
  const filled = new DataView(header.buffer);
  const controls = new DataView(control.buffer);
  return {
    header(): Pointer {
      fill(header, vector, control);
      return address(header);
    },
    bytes: (length: number) => Buffer.from(data.subarray(0, length)),
    descriptors(): number[] {
      const found: number[] = [];
      const end = Number(filled.getBigUint64(40, true));
      for (let at = 0; at + 16 <= end; ) {
        const length = Number(controls.getBigUint64(at, true));
        if (length < 16) break;
        const isRights =
          controls.getInt32(at + 8, true) === SOL_SOCKET && controls.getInt32(at + 12, true) === SCM_RIGHTS;
        for (let next = at + 16; isRights && next + 4 <= at + length; next += 4)
          found.push(controls.getInt32(next, true));
        at += Math.ceil(length / 8) * 8;
      }
      return found;
    },
  };
}

function vectorOf(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const vector = pinned(16);
  const view = new DataView(vector.buffer);
  view.setBigUint64(0, BigInt(address(content)), true);
  view.setBigUint64(8, BigInt(content.length), true);
  return vector;
}

function fill(header: Uint8Array<ArrayBuffer>, vector: Uint8Array, control: Uint8Array | null): void {
  const view = new DataView(header.buffer);
  view.setBigUint64(16, BigInt(address(vector)), true);
  view.setBigUint64(24, 1n, true);
  view.setBigUint64(32, control === null ? 0n : BigInt(address(control)), true);
  view.setBigUint64(40, control === null ? 0n : BigInt(control.length), true);
}
