/** A request to an HTTP server on this machine whose answer may come in pieces, for as long as it likes. */
export interface Message {
  address: string;
  port: number;
  route: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

export interface Answering {
  status: number;
  header(name: string): string | null;
  /** Ends with the answer; throws when the connection breaks. */
  pieces: AsyncIterable<Uint8Array>;
}

/** Never through a proxy, whatever the environment says: what is sent is a secret. Rejects when nobody answers. */
export type Converse = (message: Message) => Promise<Answering>;

export function createConverse(): Converse {
  return async ({ address, port, route, method, headers, body, signal }) => {
    const { request } = await import('node:http');
    return await new Promise((resolve, reject) => {
      const asking = request({ host: address, port, path: route, method, headers, agent: false, signal }, (response) =>
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => [response.headers[name]].flat()[0] ?? null,
          pieces: response,
        }),
      );
      asking.on('error', reject);
      asking.end(body ?? undefined);
    });
  };
}
