import fs from 'node:fs';
import { Duplex } from 'node:stream';
import { address, openLibrary, type Pointer, pinned } from '../ffi.ts';

/**
 * A connection to a Unix socket that takes descriptors along with bytes, for a few words: while it lives it looks for
 * news every few milliseconds. The library's own keeps a thread for that, which takes 10 MB and gives none of it back.
 */
export function connectDescriptorStream(socket: string): Duplex {
  const libc = openLibc();
  const descriptor = libc.socket(unixFamily, streamSocket | closeOnExec | nonBlocking, 0);
  if (descriptor < 0) throw new Error('the system gives no socket');
  const name = socketName(socket);
  if (libc.connect(descriptor, address(name), name.length) !== 0) {
    fs.closeSync(descriptor);
    throw new Error('nobody takes the connection');
  }
  const message = receiving();
  const stream: Duplex = new Duplex({
    read() {},
    write(chunk: Uint8Array, _encoding, done) {
      try {
        // A few hundred bytes: the socket takes them at once, or is broken.
        if (fs.writeSync(descriptor, chunk) < chunk.length) throw new Error('the socket is full');
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    destroy(error, done) {
      clearInterval(timer);
      fs.closeSync(descriptor);
      done(error);
    },
  });
  const timer = setInterval(look, lookEveryMs);
  // Two properties by which the library knows that descriptors can be carried; it never sends any for us.
  return Object.assign(stream, { writeWithFds: () => false, closeFds: (list: number[]) => list.forEach(close) });

  function look(): void {
    // Nothing to read and a broken socket look the same here: whoever waits for an answer has a limit for it.
    for (;;) {
      const length = Number(libc.recvmsg(descriptor, message.header(), doNotWait | closeOnExecReceived));
      if (length < 0) return;
      if (length === 0) {
        clearInterval(timer);
        stream.push(null);
        return;
      }
      const descriptors = message.descriptors();
      // Before the bytes that speak of them.
      if (descriptors.length > 0) stream.emit('fds', descriptors);
      stream.push(message.bytes(length));
    }
  }
}

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

function close(descriptor: number): void {
  fs.closeSync(descriptor);
}
