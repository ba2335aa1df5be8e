/** TLS load in its own process: `load.ts PORT CONNECTIONS COUNT keep|new`; with `new` each request has a connection and a handshake. */
import fs from 'node:fs';
import tls from 'node:tls';

const [port = '', connections = '', count = '', kind] = process.argv.slice(2);
const request = fs.readFileSync(0, 'utf8');
let left = Number(count);
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    let socket: tls.TLSSocket | null = null;
    while (left > 0) {
      left -= 1;
      socket ??= await open();
      await ask(socket);
      if (kind !== 'new') continue;
      socket.destroy();
      socket = null;
    }
    socket?.destroy();
  }),
);

function open(): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    // Without a ticket every handshake is a whole one.
    const socket = tls.connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () =>
      resolve(socket),
    );
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Answers of this size come in one or two pieces; the last byte is that of the JSON. */
function ask(socket: tls.TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (head === -1 || text.length < head + 4 + length) return;
      socket.off('data', take);
      if (text.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(text.slice(0, 200)));
    };
    socket.on('data', take);
    socket.write(request);
  });
}
