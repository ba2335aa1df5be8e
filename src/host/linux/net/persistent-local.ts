import fs from 'node:fs';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { connectedTo } from '../descriptor-socket.ts';
import { talkQuietly } from './persistent-tcp.ts';

/** A long-lived connection to a local server with little traffic: a socket of the runtime wakes the process once a second. */
export const connectQuietly: ConnectLocal = async (path, events, peer) => {
  // Most machines lack one server or the other; this gives the system's own error.
  if (path.startsWith('/')) fs.accessSync(path);
  return talkQuietly(connectedTo(path, peer), path.replace('\0', '@'), events);
};
