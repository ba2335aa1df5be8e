import fs from 'node:fs';
import type { ConnectLocal, LocalSocket, LocalSocketEvents, VerifyPeer } from '@hostler/io/local-socket.ts';
import { connectUnix } from './unix-socket.ts';

/** `load` returns the check of the owner of a Unix socket; `checkPipe` throws for a named pipe of another user. null: this platform has none. */
export function createConnectLocal(
  load: (() => Promise<VerifyPeer>) | null,
  checkPipe: ((pipe: string) => Promise<void>) | null = null,
): ConnectLocal {
  let loading: Promise<VerifyPeer> | null = null;
  return async (path, events, peer) => {
    if (path.startsWith(pipes)) return await connectPipe(path, events, checkPipe);
    // Most machines lack one server or the other, and a failed connection costs fifty times as much as this check.
    if (path.startsWith('/')) fs.accessSync(path);
    if (load !== null) loading ??= load();
    const verify = await loading;
    return await connectUnix(path, events, (descriptor) => verify?.(descriptor, path, peer));
  };
}

/** As in \\?\pipe\name: no path of a Unix socket begins like this. */
const pipes = '\\\\';

async function connectPipe(
  path: string,
  events: LocalSocketEvents,
  check: ((pipe: string) => Promise<void>) | null,
): Promise<LocalSocket> {
  if (check === null) throw new Error(`${path} cannot be opened: this system has no named pipes`);
  const { createConnection } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    let connected = false;
    let problem: Error | null = null;
    socket.on('connect', () => {
      // Only from now on it cannot be replaced.
      check(path).then(
        () => {
          connected = true;
          socket.on('data', events.data);
          resolve({ send: (bytes) => socket.write(bytes), close: () => socket.destroy() });
        },
        (error) => {
          reject(error);
          socket.destroy();
        },
      );
    });
    socket.on('error', (error) => {
      problem = error;
      if (!connected) reject(error);
    });
    socket.on('close', () => {
      if (connected) events.closed(problem);
      else reject(problem ?? new Error(`${path} closed the connection`));
    });
  });
}
