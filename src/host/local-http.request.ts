/** One question to an HTTP server on this machine. */
export type Question = (
  | { address: string; port: number }
  /** A Unix socket in the file system. */
  | { socket: string }
) & {
  route: string;
  headers: Record<string, string>;
  /** Sent with POST. */
  body?: string;
  timeoutMs: number;
};

/** Never through a proxy, whatever the environment says: what is sent may be a secret. Rejects when nobody answers in time. */
export type Ask = (question: Question) => Promise<{ status: number; text: string }>;

const maxBytes = 64 * 1024 * 1024;

export function createAsk(): Ask {
  return async ({ route, headers, body, timeoutMs, ...where }) => {
    const { request } = await import('node:http');
    const place = 'socket' in where ? { socketPath: where.socket } : { host: where.address, port: where.port };
    const method = body === undefined ? 'GET' : 'POST';
    return await new Promise((resolve, reject) => {
      const asking = request(
        { ...place, method, path: route, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > maxBytes) asking.destroy(new Error('the answer is too large'));
            else chunks.push(chunk);
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      asking.on('error', reject);
      asking.end(body);
    });
  };
}
