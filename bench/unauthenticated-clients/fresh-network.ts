/** How long a client from another network takes to connect and get an answer while several networks occupy the WebSocket admission queue. */
import net from 'node:net';
import { type Form, pause, startHostler } from '../harness/harness.ts';

/** The client sends its token in the first message, or in the upgrade request as well. */
export type TokenIn = 'message' | 'headers';

export interface FreshNetwork {
  /** Milliseconds until the answer, sorted. */
  times: number[];
  refused: number;
}

const connectionsPerNetwork = 180;
const rounds = 12;

export async function measureFreshNetwork(form: Form, networks: number, tokenIn: TokenIn): Promise<FreshNetwork> {
  const hostler = await startHostler(form);
  const stop = occupy(hostler.port, networks);
  await pause(3000);
  const times: number[] = [];
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    if (await connectAndAsk(hostler.port, hostler.token, tokenIn)) times.push(performance.now() - start);
    else refused++;
    await pause(100);
  }
  stop();
  await hostler.stop();
  return { times: times.toSorted((a, b) => a - b), refused };
}

/** Via: unlike processes of our own user, which have places of their own. */
const upgrade = (port: number, header = '') =>
  `GET /api/websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nVia: 1.1 bench\r\n${header}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** Every network keeps so many upgrade requests open that say nothing after that. */
function occupy(port: number, networks: number): () => void {
  const open = new Set<net.Socket>();
  let stopped = false;
  const begin = (network: number) => {
    if (stopped) return;
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${10 + network}` });
    open.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      open.delete(socket);
      setTimeout(begin, 200, network);
    });
    socket.write(upgrade(port));
  };
  for (let count = 0; count < connectionsPerNetwork; count++)
    for (let network = 0; network < networks; network++) begin(network);
  return () => {
    stopped = true;
    for (const socket of open) socket.destroy();
  };
}

/** Whether an answer came; false: the service refused or closed the connection. */
function connectAndAsk(port: number, token: string, tokenIn: TokenIn): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: '127.0.0.99' });
    let received = '';
    let asked = false;
    socket.write(upgrade(port, tokenIn === 'headers' ? `X-API-Token: ${token}\r\n` : ''));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!asked && received.startsWith('HTTP/1.1 101')) socket.write(getDataMessage(token));
      asked = true;
      if (!received.includes('DATA_GET')) return;
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(false));
  });
}

function getDataMessage(token: string): Buffer {
  const text = Buffer.from(JSON.stringify({ token, id: '1', event: 'GET_DATA', data: { modules: [] } }));
  return Buffer.concat([Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 255, 0, 0, 0, 0]), text]);
}
