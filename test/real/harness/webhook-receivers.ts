import { createHmac } from 'node:crypto';
import net from 'node:net';

/** What a receiver got. */
export interface ReceivedMessage {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  port: number;
  received: ReceivedMessage[];
}

/** A receiver with a configurable reply. */
export function startWebhookReceiver(
  answer: (count: number) => Response | Promise<Response>,
  tls?: { certificate: string; key: string },
): WebhookReceiver {
  const received: ReceivedMessage[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    ...(tls && { tls: { cert: Bun.file(tls.certificate), key: Bun.file(tls.key) } }),
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      received.push({
        path: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      });
      return await answer(received.length);
    },
  });
  return {
    port: server.port ?? 0,
    received,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** Whether it was signed with this secret, as `hostler alerts secret` prints it. */
export function isSignedWith(secret: string, { headers, body }: ReceivedMessage): boolean {
  const key = Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** 200, and then an endless body. */
export function endlessResponse(): Response {
  const chunk = new Uint8Array(64 * 1024);
  return new Response(
    new ReadableStream({
      async pull(controller) {
        controller.enqueue(chunk);
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    }),
  );
}

/** Accepts connections, and closes them silently. */
export async function startCloser(): Promise<AsyncDisposable & { port: number; connections(): number }> {
  let count = 0;
  const server = net.createServer((socket) => {
    count += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
