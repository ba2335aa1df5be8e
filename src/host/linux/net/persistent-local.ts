import fs from 'node:fs';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { address } from '../../ffi.ts';
import { unixName, verifyOrClose } from '../descriptor-socket.ts';
import { openLibc } from '../libc.ts';
import { talkQuietly } from './persistent-tcp.ts';

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;

/** A long-lived connection to a local server with little traffic: a socket of the runtime wakes the process once a second. */
export const connectQuietly: ConnectLocal = async (path, events, peer) => {
  // Most machines lack one server or the other; this gives the system's own error.
  if (path.startsWith('/')) fs.accessSync(path);
  const libc = openLibc({
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  });
  const name = unixName(path);
  const shown = path.replace('\0', '@');
  const descriptor = libc.socket(AF_UNIX, SOCK_STREAM | fs.constants.O_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error('the system refused to create a socket');
  if (libc.connect(descriptor, address(name), name.length) !== 0) {
    fs.closeSync(descriptor);
    throw new Error(`no server answers at ${shown}`);
  }
  verifyOrClose(descriptor, path, peer);
  return talkQuietly(descriptor, shown, events);
};
