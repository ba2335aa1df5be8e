import fs from 'node:fs';
import type { ConnectLocal } from '../lib/local-socket.ts';
import { connectUnix } from './unix-socket.ts';

export function createConnectLocal(): ConnectLocal {
  return async (path, events) => {
    if (path.startsWith(pipes)) return await connectPipe(path, events);
    // Most machines lack one server or the other, and finding that out by connecting costs fifty times as much.
    if (path.startsWith('/')) fs.accessSync(path);
    return await connectUnix(path, events);
  };
}

/** As in \\?\pipe\name: no path of a Unix socket begins like this. */
const pipes = '\\\\';

const connectPipe: ConnectLocal = async (path, events) => {
  const { createConnection } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    let connected = false;
    let problem: Error | null = null;
    socket.on('connect', () => {
      connected = true;
      resolve({ send: (bytes) => socket.write(bytes), close: () => socket.destroy() });
    });
    socket.on('data', events.data);
    socket.on('error', (error) => {
      problem = error;
      if (!connected) reject(error);
    });
    socket.on('close', () => {
      if (connected) events.closed(problem);
      else reject(problem ?? new Error(`${path} closed the connection`));
    });
  });
};
