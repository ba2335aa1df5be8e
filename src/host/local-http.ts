/** Requests of the commands to the service of this user: over a socket that no other user can create, never over a port, since requests may contain secrets. */
export interface LocalHttp {
  /** One request and its whole response. Rejects without a response in time. */
  request(request: LocalRequest): Promise<{ status: number; text: string }>;
  /** A request with a response in pieces, of any duration. Rejects without a response. */
  stream(message: LocalMessage): Promise<LocalResponse>;
}

export interface LocalRequest {
  /** A Unix socket in the file system. */
  socket: string;
  route: string;
  headers: Record<string, string>;
  /** Sent with POST. */
  body?: string;
  timeoutMs: number;
}

export interface LocalMessage {
  /** A Unix socket in the file system. */
  socket: string;
  route: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

export interface LocalResponse {
  status: number;
  header(name: string): string | null;
  /** Ends with the response; throws when the connection breaks. */
  pieces: AsyncIterable<Uint8Array>;
}

const maxBytes = 64 * 1024 * 1024;

export function createLocalHttp(): LocalHttp {
  return {
    async request({ socket, route, headers, body, timeoutMs }) {
      const { request } = await import('node:http');
      const method = body === undefined ? 'GET' : 'POST';
      return await new Promise((resolve, reject) => {
        const asking = request(
          { socketPath: socket, method, path: route, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
          (response) => {
            const chunks: Buffer[] = [];
            let size = 0;
            response.on('data', (chunk: Buffer) => {
              size += chunk.length;
              if (size > maxBytes) asking.destroy(new Error('the response is too large'));
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
    },
    async stream({ socket, route, method, headers, body, signal }) {
      const { request } = await import('node:http');
      return await new Promise((resolve, reject) => {
        const asking = request({ socketPath: socket, path: route, method, headers, agent: false, signal }, (response) =>
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => [response.headers[name]].flat()[0] ?? null,
            pieces: response,
          }),
        );
        asking.on('error', reject);
        asking.end(body ?? undefined);
      });
    },
  };
}
