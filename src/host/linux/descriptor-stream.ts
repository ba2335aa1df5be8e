import fs from 'node:fs';
import type { ConnectCarrier } from '../../protocols/dbus/link.ts';
import { address, openLibrary, type Pointer, pinned } from '../ffi.ts';

/**
 * A connection to a Unix socket that takes descriptors along with bytes, for a few words: while it lives it looks for
 * news every few milliseconds, since the event loop throws descriptors away.
 */
export const connectDescriptorStream: ConnectCarrier = async (socket, events) => {
  const libc = openLibc();
  const name = socketName(socket);
  const descriptor = libc.socket(unixFamily, streamSocket | closeOnExec | nonBlocking, 0);
  if (descriptor < 0) throw new Error('the system gives no socket');
  if (libc.connect(descriptor, address(name), name.length) !== 0) {
    fs.closeSync(descriptor);
    throw new Error('nobody takes the connection');
  }
  const message = receiving();
  let isOpen = true;
  const timer = setInterval(look, lookEveryMs);
  return {
    send(bytes) {
      // A few hundred bytes: the socket takes them at once, or is broken.
      if (isOpen && fs.writeSync(descriptor, bytes) < bytes.length) throw new Error('the socket is full');
    },
    close,
  };

  function look(): void {
    // Nothing to read and a broken socket look the same here: whoever waits for an answer has a limit for it.
    while (isOpen) {
      const length = Number(libc.recvmsg(descriptor, message.header(), doNotWait | closeOnExecReceived));
      if (length < 0) return;
      if (length === 0) {
        close();
        events.closed(null);
        return;
      }
      const descriptors = message.descriptors();
      if (descriptors.length > 0) events.descriptors(descriptors);
      events.data(message.bytes(length));
    }
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    fs.closeSync(descriptor);
  }
};

const lookEveryMs = 4;
const unixFamily = 1;
const streamSocket = 1;
const closeOnExec = 0o2000000;
const nonBlocking = 0o4000;
const doNotWait = 0x40;
const closeOnExecReceived = 0x4000_0000;
const socketRights = 1;

function openLibc() {
  const library = openLibrary(['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'], {
    socket: { args: ['int', 'int', 'int'], returns: 'int' },
    connect: { args: ['int', 'ptr', 'int'], returns: 'int' },
    recvmsg: { args: ['int', 'ptr', 'int'], returns: 'i64' },
  });
  if (library === null) throw new Error('there is no C library that could be asked');
  return library.symbols;
}

/** struct sockaddr_un; an abstract name begins with a NUL and ends where its length says. */
function socketName(socket: string): Uint8Array {
  const text = new TextEncoder().encode(socket);
  if (text.length > 107) throw new Error('the path of the socket is too long');
  const name = pinned(2 + text.length + (socket.startsWith('\0') ? 0 : 1));
  new DataView(name.buffer).setUint16(0, unixFamily, true);
  name.set(text, 2);
  return name;
}

/** struct msghdr with one buffer and room for descriptors, 64 bits wide. https://man7.org/linux/man-pages/man2/recv.2.html */
function receiving() {
  const data = pinned(16 * 1024);
  const control = pinned(512);
  const buffers = pinned(16);
  const header = pinned(56);
  const fields = new DataView(header.buffer);
  const controls = new DataView(control.buffer);
  const vector = new DataView(buffers.buffer);
  vector.setBigUint64(0, BigInt(address(data)), true);
  vector.setBigUint64(8, BigInt(data.length), true);
  return {
    header(): Pointer {
      fields.setBigUint64(16, BigInt(address(buffers)), true);
      fields.setBigUint64(24, 1n, true);
      fields.setBigUint64(32, BigInt(address(control)), true);
      fields.setBigUint64(40, BigInt(control.length), true);
      return address(header);
    },
    bytes: (length: number) => Buffer.from(data.subarray(0, length)),
    descriptors(): number[] {
      const found: number[] = [];
      const filled = Number(fields.getBigUint64(40, true));
      for (let at = 0; at + 16 <= filled; ) {
        const length = Number(controls.getBigUint64(at, true));
        if (length < 16) break;
        const isRights = controls.getInt32(at + 8, true) === 1 && controls.getInt32(at + 12, true) === socketRights;
        for (let next = at + 16; isRights && next + 4 <= at + length; next += 4)
          found.push(controls.getInt32(next, true));
        at += Math.ceil(length / 8) * 8;
      }
      return found;
    },
  };
}
