import { type Client, type ClientOptions, createClient as create, type SocketConstructor } from './client.ts';
import { createNodeSocket } from './node-socket.ts';

export * from './client.ts';
export { createNodeClient as createClient };

/**
 * The same for Node. Versions before 22 have no WebSocket; that of later ones neither reports why an address cannot be reached, nor accepts
 * certificates to trust.
 */
const createNodeClient = (options: ClientOptions): Client => create({ WebSocket: NodeSocket, ...options });

/** A constructor may return another object than `this`. */
const NodeSocket = function (this: unknown, url: string, options?: object) {
  return createNodeSocket(url, options);
} as unknown as SocketConstructor;
