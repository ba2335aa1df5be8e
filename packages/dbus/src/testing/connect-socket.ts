import net from 'node:net';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';

/** Connects without verifying the owner of the server, which is the test itself. */
export const connectSocket: ConnectLocal = (path, { data, closed }) =>
  new Promise((resolve, reject) => {
    let problem: Error | null = null;
    const socket = net.connect({ path });
    socket.on('error', (error) => {
      problem = error;
      reject(error);
    });
    socket.on('connect', () =>
      resolve({ send: (bytes) => void socket.write(bytes), close: () => void socket.destroy() }),
    );
    socket.on('data', (bytes: Buffer) => {
      try {
        data(bytes);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on('close', () => closed(problem));
  });
