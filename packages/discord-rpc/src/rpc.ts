import type { Clock } from '@hostler/io/clock.ts';
import type { ConnectLocal, LocalSocket, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { createFrameReader, encodeFrame, type Frame, opcodes } from './frames.ts';
import { isObject } from './values.ts';

/** A connection to the application after its handshake, with requests, replies and events. */
export interface Rpc {
  /** `take` sees the reply before anything that was sent after it. */
  request<T>(request: RpcRequest, take: (data: unknown) => T): Promise<T>;
}

export interface RpcRequest {
  cmd: string;
  args?: object;
  evt?: string;
  timeoutMs?: number;
}

export interface RpcEvents {
  event(name: string, data: unknown): void;
  /** Once, unless we closed it. */
  closed(error: Error): void;
}

/** The application refused a request. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The application ended the connection with a reason. */
export class RpcClosed extends Error {
  override readonly name = 'RpcClosed';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** It may answer later, or never. */
export class RpcSilence extends Error {
  override readonly name = 'RpcSilence';
}

/** For the handshake, and for each request. */
const answerMs = 10_000;

interface Waiting {
  reply(data: unknown): void;
  refuse(error: Error): void;
}

export interface RpcOptions {
  path: string;
  clientId: string;
  /** Closes it, at any time. */
  signal: AbortSignal;
}

/** Connects and shakes hands. Rejects when there is no server, or it uses another protocol. */
export async function openRpc(
  connect: ConnectLocal,
  clock: Clock,
  { path, clientId, signal }: RpcOptions,
  events: RpcEvents,
): Promise<Rpc> {
  const waiting = new Map<string, Waiting>();
  const readFrames = createFrameReader();
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  let ended: Error | null = null;
  let socket: LocalSocket | null = null;

  const end = (error: Error) => {
    if (ended !== null) return;
    ended = error;
    cancelHandshake();
    signal.removeEventListener('abort', abort);
    socket?.close();
    for (const { refuse } of waiting.values()) refuse(error);
    waiting.clear();
    if (!isReady) ready.reject(error);
    else if (!signal.aborted) events.closed(error);
  };
  const abort = () => end(new Error('the connection was aborted'));
  signal.addEventListener('abort', abort);
  const cancelHandshake = clock.after(answerMs, () => end(silence('the handshake')));

  const send = (opcode: number, text: string) => socket?.send(encodeFrame(opcode, text));

  const receive = ({ opcode, text }: Frame) => {
    if (ended !== null) return;
    if (opcode === opcodes.ping) return send(opcodes.pong, text);
    if (opcode === opcodes.pong || opcode === opcodes.handshake) return;
    const message = parseMessage(text);
    if (opcode === opcodes.close) return end(closing(message));
    if (message.cmd === 'DISPATCH') dispatch(String(message.evt), message.data);
    else answer(message);
  };

  const dispatch = (name: string, data: unknown) => {
    if (name !== 'READY') return isReady ? events.event(name, data) : undefined;
    isReady = true;
    cancelHandshake();
    ready.resolve();
  };

  const answer = ({ nonce, evt, data }: Record<string, unknown>) => {
    const asked = typeof nonce === 'string' ? waiting.get(nonce) : undefined;
    // A late reply, or one without a request, is ignored.
    if (typeof nonce !== 'string' || asked === undefined) return;
    waiting.delete(nonce);
    if (evt === 'ERROR') asked.refuse(refusal(data));
    else asked.reply(data);
  };

  const listening: LocalSocketEvents = {
    data(bytes) {
      try {
        if (ended === null) readFrames(bytes, receive);
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
      }
    },
    closed: (error) => end(error ?? new Error('it closed the connection')),
  };
  const connecting = connect(path, listening, 'self');
  connecting.then(
    (connected) => {
      // The connection was aborted meanwhile.
      if (ended !== null) return connected.close();
      socket = connected;
      send(opcodes.handshake, JSON.stringify({ v: 1, client_id: clientId }));
    },
    (error) => end(error),
  );
  await ready.promise;

  return {
    request({ cmd, args = {}, evt, timeoutMs = answerMs }, take) {
      if (ended !== null) return Promise.reject(ended);
      const nonce = crypto.randomUUID();
      return new Promise((resolve, reject) => {
        const cancel = clock.after(timeoutMs, () => {
          waiting.delete(nonce);
          reject(silence(cmd));
        });
        waiting.set(nonce, {
          reply(data) {
            cancel();
            try {
              resolve(take(data));
            } catch (error) {
              reject(error);
            }
          },
          refuse(error) {
            cancel();
            reject(error);
          },
        });
        send(opcodes.frame, JSON.stringify({ cmd, args, ...(evt === undefined ? {} : { evt }), nonce }));
      });
    },
  };
}

function parseMessage(text: string): Record<string, unknown> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Error('it sent a frame that holds no JSON');
  }
  if (!isObject(message)) throw new Error('it sent a frame that holds no message');
  return message;
}

function refusal(data: unknown): RpcRefusal {
  const { code, message } = isObject(data) ? data : {};
  return new RpcRefusal(Number(code) || 0, typeof message === 'string' ? message : 'it gave no reason');
}

function closing({ code, message }: Record<string, unknown>): RpcClosed {
  const words = typeof message === 'string' && message !== '' ? message : 'it gave no reason';
  return new RpcClosed(Number(code) || 0, words);
}

const silence = (what: string) => new RpcSilence(`it did not answer ${what} in time`);
