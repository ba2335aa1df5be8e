import fs from 'node:fs';
import type { ConnectLocal, LocalSocketEvents } from '../../lib/local-socket.ts';
import { address, followSocket, openLibrary, pinned } from '../ffi.ts';

/** Connections to servers on this machine over which descriptors can go, which those of the runtime do not carry. */
export interface DescriptorConnect {
  connect: ConnectLocal;
  /** Goes with the next bytes that are sent; it stays open here. */
  attach(descriptor: number): void;
  /** The first that was received and not taken yet; close it. */
  take(): number | null;
}

export interface DescriptorOptions {
  /**
   * Whether descriptors are expected. Then it is looked for bytes every few milliseconds, since the event loop throws
   * descriptors away: for short questions only.
   */
  receives: boolean;
}

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
const longestPath = 107;
const lookEveryMs = 3;

export function createDescriptorConnect({ receives }: DescriptorOptions): DescriptorConnect {
  const library = openLibrary(['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'], {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
    recvmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
  });
  if (library === null) throw new Error('there is no C library (libc.so.6)');
  const { socket, connect, sendmsg, recvmsg } = library.symbols;
  const received: number[] = [];
  let attached: number | null = null;

  const poll = (descriptor: number, { data, closed }: LocalSocketEvents): (() => void) => {
    const message = messageOf(new Uint8Array(4096), -1);
    const look = () => {
      for (;;) {
        message.reset();
        const got = Number(recvmsg(descriptor, address(message.header), MSG_CMSG_CLOEXEC));
        if (got < 0) return;
        if (got === 0) {
          stop();
          return closed(null);
        }
        const came = message.descriptor();
        if (came !== null) received.push(came);
        data(message.content.slice(0, got));
        if (!isOpen) return;
      }
    };
    let isOpen = true;
    const timer = setInterval(look, lookEveryMs);
    const stop = () => {
      if (isOpen) fs.closeSync(descriptor);
      isOpen = false;
      clearInterval(timer);
    };
    return stop;
  };

  return {
    attach(descriptor) {
      attached = descriptor;
    },
    take: () => received.shift() ?? null,
    async connect(path, events) {
      const name = addressOf(path);
      const descriptor = socket(AF_UNIX, SOCK_STREAM | fs.constants.O_NONBLOCK | SOCK_CLOEXEC, 0);
      if (descriptor < 0) throw new Error('there is no room for another socket');
      if (connect(descriptor, address(name), name.length) !== 0) {
        fs.closeSync(descriptor);
        throw new Error(`nobody answers at ${path}`);
      }
      let isOpen = true;
      const ended = (problem: Error | null) => {
        isOpen = false;
        events.closed(problem);
      };
      const stop = receives
        ? poll(descriptor, { ...events, closed: ended })
        : await followSocket(descriptor, events.data, (problem) => ended(new Error(problem)));
      return {
        send(bytes) {
          if (!isOpen) return;
          const message = messageOf(bytes, attached);
          attached = null;
          const sent = Number(sendmsg(descriptor, address(message.header), MSG_NOSIGNAL));
          if (sent !== bytes.length) throw new Error('it does not take what is sent to it');
        },
        close() {
          isOpen = false;
          stop();
        },
      };
    },
  };
}

/** struct sockaddr_un. */
function addressOf(path: string): Uint8Array {
  const bytes = Buffer.from(path);
  if (bytes.length > longestPath) throw new Error(`the path ${path} is too long for a socket`);
  const name = pinned(2 + bytes.length + 1);
  name[0] = AF_UNIX;
  name.set(bytes, 2);
  return name;
}

const controlBytes = 24;

/** struct msghdr of 64-bit systems, with what it points to, which is held as long as this is. */
function messageOf(bytes: Uint8Array, descriptor: number | null) {
  const content = pinned(bytes.length);
  content.set(bytes);
  const vector = pinned(16);
  const vectorView = new DataView(vector.buffer);
  vectorView.setBigUint64(0, BigInt(address(content)), true);
  vectorView.setBigUint64(8, BigInt(bytes.length), true);
  const control = pinned(controlBytes);
  const controlView = new DataView(control.buffer);
  const header = pinned(56);
  const view = new DataView(header.buffer);
  view.setBigUint64(16, BigInt(address(vector)), true);
  view.setBigUint64(24, 1n, true);
  const reset = () => {
    controlView.setBigUint64(0, 20n, true);
    controlView.setInt32(8, SOL_SOCKET, true);
    controlView.setInt32(12, SCM_RIGHTS, true);
    controlView.setInt32(16, descriptor ?? -1, true);
    view.setBigUint64(32, descriptor === null ? 0n : BigInt(address(control)), true);
    view.setBigUint64(40, descriptor === null ? 0n : BigInt(controlBytes), true);
  };
  reset();
  return {
    header,
    content,
    held: [vector, control],
    reset,
    /** Of a message that was received. */
    descriptor: () => (view.getBigUint64(40, true) >= 20n ? controlView.getInt32(16, true) : null),
  };
}
