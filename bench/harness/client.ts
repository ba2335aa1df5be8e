import net from 'node:net';

/** One connection that stays open and carries one request after the other. Only for answers with a Content-Length. */
export interface Client {
  /** The whole request as text; resolves when its answer is there completely. */
  ask(request: string): Promise<{ status: number; body: number }>;
  /** false: the server has closed it, as it does with one that was idle for 30 s. */
  isOpen(): boolean;
  close(): void;
}

interface Pending {
  resolve(answer: { status: number; body: number }): void;
  reject(error: Error): void;
}

export function connect(port: number): Promise<Client> {
  const socket = net.connect(port, '127.0.0.1');
  let pending: Pending | null = null;
  let head = '';
  let status = 0;
  let expected = -1;
  let received = 0;

  const finish = () => {
    const done = pending;
    const answer = { status, body: expected };
    pending = null;
    head = '';
    expected = -1;
    received = 0;
    done?.resolve(answer);
  };
  const fail = (error: Error) => {
    const failed = pending;
    pending = null;
    failed?.reject(error);
  };

  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    if (expected >= 0) {
      received += chunk.length;
    } else {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      status = Number(head.slice(9, 12));
      expected = status === 304 ? 0 : contentLength(head.slice(0, end));
      received = head.length - end - 4;
    }
    if (received >= expected) finish();
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed before the answer was complete')));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () =>
      resolve({
        ask: (request) =>
          new Promise((resolveAnswer, rejectAnswer) => {
            if (socket.destroyed) return rejectAnswer(new Error('the connection is closed'));
            pending = { resolve: resolveAnswer, reject: rejectAnswer };
            socket.write(request);
          }),
        isOpen: () => !socket.destroyed,
        close: () => socket.destroy(),
      }),
    );
  });
}

/** As many connections as are needed at once, used again and again. */
export type Pool = Omit<Client, 'isOpen'>;

export function createPool(port: number): Pool {
  const idle: Client[] = [];
  return {
    async ask(request) {
      let client = idle.pop();
      while (client !== undefined && !client.isOpen()) client = idle.pop();
      client ??= await connect(port);
      // One that failed is not used again.
      const answer = await client.ask(request);
      idle.push(client);
      return answer;
    },
    close() {
      for (const client of idle.splice(0)) client.close();
    },
  };
}

export function getRequest(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function contentLength(head: string): number {
  return Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
}
