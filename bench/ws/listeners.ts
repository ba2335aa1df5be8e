/** Many clients in one process. Each line on standard input is an order; each answer is a line of JSON. */
import { createInterface } from 'node:readline';
import { liveIntervals } from '@hostler/client/events.ts';

const [url = '', token = ''] = process.argv.slice(2);
const sockets = new Set<WebSocket>();
let updates = 0;
let characters = 0;
let lastUpdateAt = 0;
let longestGapMs = 0;
let onUpdate = () => {};
let waiting: { id: string; resolve(): void } | null = null;

const orders: Record<string, (...args: string[]) => Promise<Record<string, number>>> = {
  async open(count = '1') {
    for (let made = 0; made < Number(count); made++) {
      await open();
    }
    return { open: sockets.size };
  },
  async listen(modules = '') {
    for (const socket of sockets)
      send(socket, 'listen', 'REGISTER_DATA_LISTENER', { modules: modules.split(','), interval: liveIntervals });
    return {};
  },
  async count() {
    const counted = { updates, characters, longestGapMs };
    updates = 0;
    characters = 0;
    longestGapMs = 0;
    return counted;
  },
  /** When the next update came, in milliseconds since 1970. */
  async next() {
    await new Promise<void>((resolve) => {
      onUpdate = resolve;
    });
    return { at: performance.timeOrigin + performance.now() };
  },
  /** Round trips of one client, one after the other. */
  async ask(modules = '', times = '100', pauseMs = '0') {
    const [socket] = sockets;
    if (socket === undefined) throw new Error('open one first');
    const taken: number[] = [];
    for (let round = 0; round < Number(times); round++) {
      const before = performance.now();
      await new Promise<void>((resolve) => {
        waiting = { id: `ask-${round}`, resolve };
        send(socket, waiting.id, 'GET_DATA', { modules: modules.split(',') });
      });
      taken.push(performance.now() - before);
      await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
    }
    taken.sort((a, b) => a - b);
    const at = (part: number) => taken[Math.floor(part * (taken.length - 1))] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  },
  async close() {
    for (const socket of sockets) socket.close();
    sockets.clear();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [order = '', ...args] = line.split(' ');
  process.stdout.write(`${JSON.stringify(await orders[order]?.(...args))}\n`);
}

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.onopen = () => {
      sockets.add(socket);
      // An unauthenticated client makes room for others.
      send(socket, 'greet', 'GET_DATA', { modules: [] });
      resolve();
    };
    socket.onerror = () => reject(new Error('the connection failed'));
    socket.onmessage = ({ data }) => {
      const text = String(data);
      if (text.includes('"type":"DATA_UPDATE"')) counted(text);
      else if (waiting !== null && text.includes(waiting.id)) waiting.resolve();
    };
    socket.onclose = () => void sockets.delete(socket);
  });
}

function counted(text: string): void {
  const now = performance.now();
  if (lastUpdateAt > 0) longestGapMs = Math.max(longestGapMs, now - lastUpdateAt);
  lastUpdateAt = now;
  onUpdate();
  updates++;
  characters += text.length;
}

function send(socket: WebSocket, id: string, event: string, data: unknown): void {
  socket.send(JSON.stringify({ token, id, event, data }));
}
