import net from 'node:net';
import type { Target } from './surface.ts';

export interface RawRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: string | Uint8Array;
}

/** As it goes over the wire; nothing is put right on the way. */
export function toBytes({ method, target, headers, body }: RawRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}

/** Sends the bytes on a new connection, and reads the answer for a moment. */
export function sendRaw({ hostler, answered, sent }: Target, bytes: Uint8Array, patienceMs = 2000): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(hostler.port, '127.0.0.1');
    let received = '';
    const giveUp = setTimeout(() => socket.destroy(), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (isWhole(received)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(giveUp);
      for (const [, status] of received.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
        answered(Number(status), Buffer.from(bytes).toString('latin1').slice(0, 2000));
      resolve(received);
    });
    socket.write(bytes);
    sent();
  });
}

/** Whether the first answer is there, with its body. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const [, length] = /^content-length: (\d+)/im.exec(received.slice(0, end)) ?? [];
  return length !== undefined && received.length >= end + 4 + Number(length);
}

/** As several clients at once; each has its own junk. */
export async function together(
  count: number,
  { isOver }: Target,
  work: (number: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      while (!isOver()) await work(number);
    }),
  );
}

/** A POST with JSON, as a client of ours would send it. */
export async function postJson(
  target: Target,
  route: string,
  body: unknown,
): Promise<{ status: number; answer: unknown }> {
  const { hostler, answered, sent } = target;
  sent();
  try {
    const response = await fetch(`http://127.0.0.1:${hostler.port}${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body) ?? 'null',
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    answered(response.status, `${route} ${JSON.stringify(body)?.slice(0, 2000)}`);
    return { status: response.status, answer: JSON.parse(text) };
  } catch {
    return { status: 0, answer: null };
  }
}
