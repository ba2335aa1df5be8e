import type { ByteStream, ByteStreamEvents, OpenStream } from '@hostler/io/byte-stream.ts';
import type { IsOurPeer } from '../../../host/peer-user.ts';
import { messageOf } from '../../../lib/errors.ts';

/** An HTTP proxy on loopback for one request of the service, which may be redirected: it connects only to addresses that it checked. */
export interface CheckedProxy {
  port: number;
  close(): void;
}

export interface CheckedProxyParts {
  connect: OpenStream;
  lookUp(host: string, port: number): Promise<string[]>;
  /** Whether no connection goes to this address. */
  isRefused(address: string): boolean;
  /** Others of this machine may not use it. */
  isOurPeer: IsOurPeer;
}

const mostClients = 16;
const longestHead = 16 * 1024;
const connectMs = 5000;
/** The request comes with the connection. */
const headSeconds = 3;
/** Addresses of one name. */
const mostTries = 4;

/** A connection of the program. */
interface Client {
  /** What came before the whole head of the request; null: it is passed on. */
  head: Buffer | null;
  upstream: ByteStream | null;
  isTunnel: boolean;
  /** What the program has not taken yet. */
  waiting: Buffer;
  isEnding: boolean;
  isClosed: boolean;
}

export function openCheckedProxy(parts: CheckedProxyParts): CheckedProxy {
  const sockets = new Set<Bun.Socket<Client>>();
  const server = Bun.listen<Client>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = {
          head: Buffer.alloc(0),
          upstream: null,
          isTunnel: false,
          waiting: Buffer.alloc(0),
          isEnding: false,
          isClosed: false,
        };
        if (sockets.size >= mostClients) return socket.terminate();
        sockets.add(socket);
        socket.timeout(headSeconds);
      },
      data(socket, bytes) {
        const { data: client } = socket;
        // Copied: the runtime reuses the memory.
        if (client.upstream !== null && client.isTunnel) client.upstream.send(Uint8Array.from(bytes));
        else if (client.head === null) socket.terminate();
        else {
          client.head = Buffer.concat([client.head, bytes]);
          if (client.head.includes('\r\n\r\n')) void begin(socket, parts, server.port);
          else if (client.head.length > longestHead) socket.terminate();
        }
      },
      timeout: (socket) => void socket.terminate(),
      drain: flush,
      close(socket) {
        sockets.delete(socket);
        socket.data.isClosed = true;
        socket.data.upstream?.close();
      },
      error: (socket) => void socket.terminate(),
    },
  });
  return {
    port: server.port,
    close() {
      server.stop(true);
      for (const socket of sockets) socket.terminate();
    },
  };
}

async function begin(socket: Bun.Socket<Client>, parts: CheckedProxyParts, port: number): Promise<void> {
  const { data: client } = socket;
  const request = client.head ?? Buffer.alloc(0);
  client.head = null;
  socket.timeout(0);
  try {
    socket.pause();
    const { remoteAddress: address, remotePort } = socket;
    if (!(await parts.isOurPeer({ address, port: remotePort }, port))) return void socket.terminate();
    const order = orderIn(request);
    if (order === null) return answer(socket, '400 Bad Request');
    const found = (await parts.lookUp(order.host, order.port)).filter((each) => !parts.isRefused(each));
    if (found.length === 0) return answer(socket, '403 Forbidden');
    const upstream = await connectToFirst(parts.connect, found.slice(0, mostTries), order.port, {
      data: (bytes) => pass(socket, bytes),
      closed() {
        client.isEnding = true;
        flush(socket);
      },
    });
    client.upstream = upstream;
    client.isTunnel = order.isTunnel;
    if (client.isClosed) return upstream.close();
    if (order.first.length > 0) upstream.send(order.first);
    if (order.isTunnel) pass(socket, Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n'));
    socket.resume();
  } catch (error) {
    answer(socket, `502 ${messageOf(error).replace(/[^ -~]+/g, ' ')}`);
  }
}

/** The first of the addresses that answers. */
async function connectToFirst(
  connect: OpenStream,
  [host = '', ...others]: readonly string[],
  port: number,
  events: ByteStreamEvents,
): Promise<ByteStream> {
  try {
    return await connect({ host, port, tls: null, webSocket: null }, events, connectMs);
  } catch (error) {
    if (others.length === 0) throw error;
    return await connectToFirst(connect, others, port, events);
  }
}

/** What is asked for, and what the server gets first; null: it is not a request for a proxy. */
function orderIn(request: Buffer): { host: string; port: number; isTunnel: boolean; first: Uint8Array } | null {
  const text = request.toString('latin1');
  const [line = '', method = '', target = '', version = ''] = /^([A-Z]+) (\S+) (HTTP\/1\.[01])\r\n/.exec(text) ?? [];
  const isTunnel = method === 'CONNECT';
  const url = URL.parse(isTunnel ? `http://${target}` : target);
  if (url === null || url.protocol !== 'http:') return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const end = text.indexOf('\r\n\r\n') + 4;
  // One request for each connection, without a body: the next one may be for another server.
  const fields = text.slice(line.length, end).replace(/^(?:proxy-)?connection:.*\r\n/gim, '');
  const head = `${method} ${url.pathname}${url.search} ${version}\r\nConnection: close\r\n${fields}`;
  const first = isTunnel ? text.slice(end) : head;
  return { host, port: Number(url.port || 80), isTunnel, first: Uint8Array.from(Buffer.from(first, 'latin1')) };
}

function answer(socket: Bun.Socket<Client>, status: string): void {
  socket.data.isEnding = true;
  pass(socket, Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`));
}

function pass(socket: Bun.Socket<Client>, bytes: Uint8Array): void {
  socket.data.waiting = Buffer.concat([socket.data.waiting, bytes]);
  flush(socket);
}

/** The server waits until the program has taken everything. */
function flush(socket: Bun.Socket<Client>): void {
  const { data: client } = socket;
  if (client.isClosed) return;
  if (client.waiting.length > 0)
    client.waiting = client.waiting.subarray(Math.max(0, socket.write(new Uint8Array(client.waiting))));
  if (client.waiting.length > 0) client.upstream?.pause();
  else if (client.isEnding) socket.end();
  else client.upstream?.resume();
}
