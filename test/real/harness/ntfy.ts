/** https://docs.ntfy.sh/publish/ and https://docs.ntfy.sh/subscribe/api/ */
import { z } from 'zod';

const publishing = z.strictObject({
  topic: z.string().regex(/^[-\w]{1,64}$/),
  message: z.string().max(4096),
  title: z.string().optional(),
  priority: z.int().min(1).max(5).optional(),
  tags: z.array(z.string()).optional(),
});

export interface NtfyMessage {
  id: string;
  time: number;
  event: 'message';
  topic: string;
  message: string;
  title?: string | undefined;
  priority?: number | undefined;
  tags?: string[] | undefined;
}

/** A server with one account, which publishes JSON at / and lists what a topic has. */
export function startNtfy(token: string): Disposable & { port: number; messages: NtfyMessage[] } {
  const messages: NtfyMessage[] = [];
  const refuse = (status: number, error: string) =>
    Response.json({ code: status * 100 + 1, http: status, error }, { status });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.headers.get('authorization') !== `Bearer ${token}`) return refuse(401, 'unauthorized');
      const { pathname, searchParams } = new URL(request.url);
      const topic = /^\/([-\w]{1,64})\/json$/.exec(pathname)?.[1];
      if (request.method === 'GET' && topic !== undefined && searchParams.get('poll') === '1') {
        const lines = messages.filter((message) => message.topic === topic).map((message) => JSON.stringify(message));
        return new Response(lines.map((line) => `${line}\n`).join(''));
      }
      if (pathname !== '/' || !['POST', 'PUT'].includes(request.method)) return refuse(404, 'page not found');
      const published = publishing.safeParse(await request.json().catch(() => null));
      if (!published.success) return refuse(400, published.error.message);
      const message: NtfyMessage = {
        id: crypto.randomUUID().slice(0, 12),
        time: Math.floor(Date.now() / 1000),
        event: 'message',
        ...published.data,
      };
      messages.push(message);
      return Response.json(message);
    },
  });
  return { port: server.port ?? 0, messages, [Symbol.dispose]: () => void server.stop(true) };
}
