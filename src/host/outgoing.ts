import type { ByteStream, ByteStreamEvents, OpenStream, StreamTarget, StreamTls } from '@hostler/io/byte-stream.ts';
import { connectionProblem } from '../lib/connection-errors.ts';
import { codeOf } from '../lib/errors.ts';
import { createWriteQueue } from './write-queue.ts';

/** Maximum of unsent bytes: a peer that does not read would fill the memory. */
export const mostWaiting = 4 * 1024 * 1024;

/** The addresses of a name, as the system finds them. */
export async function lookUp(host: string, port: number): Promise<string[]> {
  try {
    return (await Bun.dns.lookup(host, { port })).map(({ address }) => address);
  } catch (error) {
    throw refused({ host, port }, error);
  }
}

/** The addresses of a name that are not this machine's own. */
export async function foreignAddresses(host: string, port: number): Promise<string[]> {
  const found = await lookUp(host, port);
  const own = await Promise.all(found.map(isOwn));
  return found.filter((_address, at) => !own[at]);
}

/** Only its own addresses can be bound, also those of an interface without carrier and of local routes, which no list of interfaces has. */
async function isOwn(hostname: string): Promise<boolean> {
  try {
    (await Bun.udpSocket({ hostname, port: 0 })).close();
    return true;
  } catch (error) {
    return codeOf(error) !== 'EADDRNOTAVAIL';
  }
}

/** Connections to other machines. Uses the runtime's own interface: node:net and node:tls would cost some megabytes. */
export const openStream: OpenStream = async (target, events, limitMs) => {
  const attempt = createAttempt(target, limitMs);
  try {
    if (target.webSocket === null) connectTcp(target, events, attempt);
    else connectWeb(target, events, attempt);
  } catch (error) {
    // Invalid TLS options or an invalid WebSocket protocol: the runtime throws before it connects.
    attempt.fail(refused(target, error));
  }
  return await attempt.opened;
};

type Attempt = ReturnType<typeof createAttempt>;

/** One attempt to connect, with one result, within the limit. */
function createAttempt({ host, port }: StreamTarget, limitMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<ByteStream>();
  let state: 'waiting' | 'succeeded' | 'failed' = 'waiting';
  let clean = () => {};
  const fail = (error: Error) => {
    if (state !== 'waiting') return;
    state = 'failed';
    clearTimeout(timer);
    clean();
    reject(error);
  };
  const timer = setTimeout(() => fail(new Error(`${host}:${port} did not answer within ${limitMs / 1000} s`)), limitMs);
  return {
    opened: promise,
    succeed(stream: ByteStream): void {
      if (state !== 'waiting') return;
      state = 'succeeded';
      clearTimeout(timer);
      resolve(stream);
    },
    fail,
    /** Whether the attempt has succeeded or failed. */
    isOver: () => state !== 'waiting',
    /** Whether a stream was handed out. Events are delivered only then: a caller whose attempt failed has no handlers for them. */
    hasSucceeded: () => state === 'succeeded',
    onFailed: (callback: () => void): void => {
      clean = callback;
    },
  };
}

function connectTcp(target: StreamTarget, events: ByteStreamEvents, attempt: Attempt): void {
  const { host, port, tls } = target;
  /** With STARTTLS the encrypted one in place of the first. */
  let current: Bun.Socket<unknown> | null = null;
  const queue = createWriteQueue((bytes) => current?.write(bytes) ?? 0);
  let problem: Error | null = null;
  let isOver = false;
  let isSecured = false;

  const end = (error: Error | null) => {
    if (isOver) return;
    isOver = true;
    queue.clear();
    if (attempt.hasSucceeded()) queueMicrotask(() => events.closed(error));
    else attempt.fail(error ?? new Error(`${host}:${port} closed the connection`));
  };

  const take = (opened: Bun.Socket<unknown>, bytes: Uint8Array) => {
    try {
      if (!isOver && attempt.hasSucceeded()) events.data(bytes);
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      opened.terminate();
    }
  };

  /** With STARTTLS, what waits is never sent in clear text: the caller has the peer's answer by then. */
  const secure = (plain: Bun.Socket<unknown>, wanted: StreamTls) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    isSecured = true;
    const [, secured] = plain.upgradeTLS({
      data: undefined,
      tls: tlsOptions(wanted),
      socket: {
        ...socket,
        open() {},
        data: take,
        handshake(opened, isVerified, error) {
          if (isVerified && error === null) return resolve();
          problem = notTrusted({ ...target, tls: wanted }, error);
          opened.terminate();
          reject(problem);
        },
        close(_opened, error) {
          const reason = problem ?? error ?? null;
          reject(reason ?? new Error(`${host}:${port} closed the connection`));
          end(reason);
        },
      },
    });
    current = secured;
    return promise;
  };

  const ready = (socket: Bun.Socket<unknown>) => {
    if (attempt.isOver()) return socket.terminate();
    current = socket;
    const terminate = (why: string) => {
      problem = new Error(`${host}:${port} ${why}`);
      current?.terminate();
    };
    attempt.succeed({
      send(bytes) {
        if (isOver || bytes.length === 0) return;
        queue.add(bytes);
        if (queue.waiting() > mostWaiting) terminate('does not read the data that is sent to it');
      },
      waiting: queue.waiting,
      pause: () => void (isOver || current?.pause()),
      resume: () => void (isOver || current?.resume()),
      startTls: (wanted, limitMs) => {
        const late = setTimeout(() => terminate(`did not encrypt within ${limitMs / 1000} s`), limitMs);
        return secure(socket, wanted).finally(() => clearTimeout(late));
      },
      close() {
        if (isOver) return;
        queue.flush();
        isOver = true;
        // Earlier data is still sent, unless the peer does not read.
        if (queue.waiting() === 0) current?.end();
        else current?.terminate();
        queue.clear();
      },
    });
  };

  const socket: Bun.SocketHandler = {
    open(opened) {
      attempt.onFailed(() => opened.terminate());
      if (attempt.isOver()) return void opened.terminate();
      if (tls === null) ready(opened);
    },
    handshake(opened, isVerified, error) {
      // The runtime has verified the name and the chain, and ends the connection where they are wrong.
      if (isVerified && error === null) return void ready(opened);
      problem = notTrusted(target, error);
      opened.terminate();
      end(problem);
    },
    // After STARTTLS this socket reports the bytes before their decryption.
    data: (opened, bytes) => void (isSecured || take(opened, bytes)),
    drain: queue.flush,
    error(_opened, error) {
      problem ??= error;
    },
    close: (_opened, error) => end(problem ?? error ?? null),
    // The rejection reports it.
    connectError() {},
  };

  const options = { hostname: host, port, socket };
  Bun.connect(tls === null ? options : { ...options, tls: tlsOptions(tls) }).catch((error: unknown) =>
    attempt.fail(refused(target, error)),
  );
}

/** How long a peer has to receive the end of a WebSocket. */
const confirmMs = 1000;

/** In WebSocket messages, whose boundaries are ignored. */
function connectWeb(target: StreamTarget, events: ByteStreamEvents, attempt: Attempt): void {
  const { host, port, tls, webSocket } = target;
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${tls === null ? 'ws' : 'wss'}://${name}:${port}${webSocket?.path ?? '/'}`;
  const options = {
    protocols: webSocket === null ? [] : [webSocket.protocol],
    // A small message could decompress to hundreds of megabytes before it gets here.
    perMessageDeflate: false,
    ...(tls !== null && { tls: tlsOptions(tls) }),
  };
  // The options and the type are specific to the runtime; those of browsers have neither protocols in options nor pauses.
  const socket = new WebSocket(url, options as unknown as string[]) as unknown as Bun.WebSocket;
  socket.binaryType = 'arraybuffer';
  let isOver = false;
  attempt.onFailed(() => socket.close());
  const end = (error: Error | null) => {
    if (isOver) return;
    isOver = true;
    if (attempt.hasSucceeded()) events.closed(error);
    else attempt.fail(error ?? new Error(`${host}:${port} closed the connection`));
  };
  socket.addEventListener('open', () =>
    attempt.succeed({
      send(bytes) {
        if (isOver) return;
        socket.send(bytes.slice());
        if (socket.bufferedAmount <= mostWaiting) return;
        socket.terminate();
        end(new Error(`${host}:${port} does not read the data that is sent to it`));
      },
      waiting: () => socket.bufferedAmount,
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close() {
        if (isOver) return;
        isOver = true;
        socket.close();
        // The runtime reads until the peer confirms, which a peer that floods does not do.
        setTimeout(() => socket.terminate(), confirmMs).unref();
      },
    }),
  );
  socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isOver || !attempt.hasSucceeded()) return;
    try {
      if (data instanceof ArrayBuffer) events.data(new Uint8Array(data));
      else throw new Error(`${host}:${port} sent text where bytes were expected`);
    } catch (error) {
      socket.terminate();
      end(error instanceof Error ? error : new Error(String(error)));
    }
  });
  let problem: Error | null = null;
  socket.addEventListener('error', (event) => {
    const message = 'message' in event && typeof event.message === 'string' ? withoutUrl(event.message) : '';
    problem ??= new Error(`${host}:${port}: ${message || 'the WebSocket could not be opened'}`);
  });
  socket.addEventListener('close', ({ reason, code }) => {
    const ended =
      problem ?? (reason === '' ? null : new Error(`${host}:${port} ended the WebSocket: ${reason} (${code})`));
    end(ended);
  });
}

/** The runtime names the whole address, whose path and query may be secret. */
const withoutUrl = (message: string) => message.replace(/^WebSocket connection to '.*' failed: /, '');

const tlsOptions = ({ serverName, ca, certificate }: StreamTls) => ({
  rejectUnauthorized: true,
  serverName,
  ...(ca !== null && { ca }),
  ...(certificate !== null && { cert: certificate.chain, key: certificate.key }),
});

function notTrusted({ host, port, tls }: StreamTarget, error: Error | null): Error {
  const name = tls?.serverName ?? host;
  const code = error !== null && 'code' in error ? String(error.code) : '';
  const why = error?.message ?? 'it could not be verified';
  return new Error(`The certificate of ${host}:${port} is not valid for ${name}: ${why}${code && ` (${code})`}`);
}

function refused({ host, port }: Pick<StreamTarget, 'host' | 'port'>, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = connectionProblem(code) ?? code;
  return new Error(`${host}:${port} cannot be reached${why && `: ${why}`}`, { cause: error });
}
