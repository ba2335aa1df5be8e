/** The floor: a `Bun.serve` that sends one answer, as the service sends it, or as many bytes as often to its WebSockets, and does nothing else. */
import fs from 'node:fs';
import { parseCapturedResponse } from './captured-response.ts';

const file = process.env.ANSWER ?? '';
const { body, headers } =
  file === ''
    ? { body: '{}', headers: { 'Content-Type': 'application/json' } }
    : parseCapturedResponse(fs.readFileSync(file, 'utf8'));
const bytes = new TextEncoder().encode(body);
// Spares the runtime the making of them in every answer; not how one writes it first.
const init = { status: 200, headers: process.env.HEADERS_ONCE === '1' ? new Headers(headers) : headers };

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 0),
  development: false,
  fetch: () => new Response(bytes, init),
});
const { PUBLISH_BYTES, PUBLISH_EVERY_MS } = process.env;
if (PUBLISH_BYTES !== undefined) {
  server.reload({
    fetch: (request) => (server.upgrade(request) ? undefined : new Response(bytes, init)),
    websocket: { idleTimeout: 0, sendPings: false, open: (socket) => void socket.subscribe('all'), message() {} },
  });
  setInterval(() => server.publish('all', JSON.stringify('x'.repeat(Number(PUBLISH_BYTES)))), Number(PUBLISH_EVERY_MS));
}
process.stdout.write(`listening on ${server.url}\n`);
