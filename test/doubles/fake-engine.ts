import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import type { SocketPlace } from '../../src/features/containers/containers.contract.ts';

export interface FakeResponse {
  status?: number;
  /** JSON unless it is bytes. */
  body?: unknown;
}

/** A container engine that answers from a table of `METHOD path`; it starts nothing. */
export interface FakeEngine {
  /** All requests, in order. */
  requests: string[];
  answers: Record<string, FakeResponse | (() => FakeResponse | null)>;
  /** Sends an event to all clients that follow them. */
  emit(event: unknown): void;
  /** Sends this many bytes of a line that does not end. */
  flood(bytes: number): void;
  /** The number of clients that follow its events. */
  followers(): number;
  /** Ends the event streams, as a restarted engine does. */
  drop(): void;
}

/** Containers of a fake engine, as `inspect` shows them. */
export function fakeEngine(answers: FakeEngine['answers'] = {}): FakeEngine & { connect: ConnectLocal } {
  const requests: string[] = [];
  const following = new Set<LocalSocketEvents>();
  const table: FakeEngine['answers'] = {
    'GET /version': { body: { Version: '20.10.24', Components: [{ Name: 'Engine' }] } },
    'GET /info': { body: { SecurityOptions: ['name=seccomp,profile=default'] } },
    'GET /containers/json?all=1': { body: [] },
    ...answers,
  };
  return {
    requests,
    answers: table,
    emit(event) {
      const line = `${JSON.stringify(event)}\n`;
      const chunk = Buffer.from(`${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`);
      for (const events of following) events.data(chunk);
    },
    flood(bytes) {
      const chunk = Buffer.from(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`);
      for (const events of [...following]) events.data(chunk);
    },
    followers: () => following.size,
    drop() {
      for (const events of [...following]) events.closed(null);
      following.clear();
    },
    async connect(_path, events) {
      return {
        send(bytes) {
          const [, request = ''] = /^(\S+ \S+) HTTP/.exec(Buffer.from(bytes).toString('latin1')) ?? [];
          requests.push(request);
          if (request.startsWith('GET /events')) {
            following.add(events);
            queueMicrotask(() => events.data(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')));
            return;
          }
          const given = table[request];
          const found = typeof given === 'function' ? given() : given;
          // An engine that never answers.
          if (found === null) return;
          const { status = 200, body } = found ?? { status: 404, body: { message: 'No such container' } };
          const content = body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body ?? null));
          const head = `HTTP/1.1 ${status} X\r\nContent-Length: ${content.length}\r\n\r\n`;
          queueMicrotask(() => events.data(Buffer.concat([Buffer.from(head), content])));
        },
        close: () => void following.delete(events),
      };
    },
  };
}

/** A machine with only these sockets, by path. */
export function socketsOf(engines: Record<string, { connect: ConnectLocal } | SocketPlace>): {
  connectLocal: ConnectLocal;
  lookUp(path: string): SocketPlace;
} {
  return {
    lookUp(path) {
      const found = engines[path];
      if (found === undefined) return { kind: 'absent' };
      return 'kind' in found ? found : { kind: 'socket', path };
    },
    async connectLocal(path, events, peer) {
      const found = engines[path];
      if (found !== undefined && 'connect' in found) return await found.connect(path, events, peer);
      throw Object.assign(new Error(`connect ECONNREFUSED ${path}`), { code: 'ECONNREFUSED' });
    },
  };
}

/** The reply of `inspect` for a container, with the fields used here. */
export function inspected(
  id: string,
  name: string,
  more: Record<string, unknown> = {},
  state: Record<string, unknown> = {},
) {
  return {
    Id: id,
    Name: `/${name}`,
    Created: '2026-01-01T00:00:00.123456789Z',
    RestartCount: 0,
    State: {
      Status: 'running',
      Pid: 4711,
      ExitCode: 0,
      OOMKilled: false,
      StartedAt: '2026-01-02T00:00:00.5Z',
      FinishedAt: '0001-01-01T00:00:00Z',
      ...state,
    },
    Config: { Image: 'bb:1', Labels: {}, Tty: false },
    HostConfig: { NetworkMode: 'none' },
    NetworkSettings: { Ports: {} },
    ...more,
  };
}
