/** The baseline: the same updates at the same times, sent the naive way or by publish alone. */
import fs from 'node:fs';

const [way = '', port = '0', file = ''] = process.argv.slice(2);
const modules: { name: string; everyMs: number; payload: unknown }[] = JSON.parse(fs.readFileSync(file, 'utf8'));
const sockets = new Set<Bun.ServerWebSocket<undefined>>();

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  development: false,
  fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response('a peer')),
  websocket: {
    backpressureLimit: 64 * 1024 * 1024,
    open(socket) {
      sockets.add(socket);
      socket.subscribe('all');
    },
    message(socket, text) {
      const { id } = JSON.parse(String(text));
      socket.send(JSON.stringify({ id, type: 'DATA_GET', subtype: 'NONE', data: null }));
    },
    close: (socket) => void sockets.delete(socket),
  },
});

const update = (module: string, payload: unknown) => ({
  id: 'system',
  type: 'DATA_UPDATE',
  subtype: 'NONE',
  module,
  data: payload,
});

for (const { name, everyMs, payload } of modules) {
  setInterval(() => {
    if (way === 'publish') server.publish('all', JSON.stringify(update(name, payload)));
    else for (const socket of sockets) socket.send(JSON.stringify(update(name, payload)));
  }, everyMs);
}
process.stdout.write(`serving ${server.port}\n`);
