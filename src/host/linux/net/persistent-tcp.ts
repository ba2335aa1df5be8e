import fs from 'node:fs';
import type { ByteStream, ByteStreamEvents, OpenStream, StreamTarget } from '@hostler/io/byte-stream.ts';
import { connectionProblem } from '../../../lib/connection-errors.ts';
import { addressBytes } from '../../../lib/ip-address.ts';
import { address, followStream, pinned } from '../../ffi.ts';
import { lookUp, mostWaiting, openStream } from '../../outgoing.ts';
import { createWriteQueue } from '../../write-queue.ts';
import { libc } from '../libc.ts';

/**
 * A long-lived TCP connection, such as to an MQTT broker. A socket of the runtime wakes the process once a second, which costs
 * more than the traffic; this one leaves the process asleep. Encrypted connections use the runtime.
 */
export const openQuietly: OpenStream = async (target, events, limitMs) => {
  if (target.tls !== null || target.webSocket !== null || target.mayStartTls === true)
    return await openStream(target, events, limitMs);
  const until = performance.now() + limitMs;
  let problem: Error = new Error(`${target.host}:${target.port} cannot be reached`);
  for (const place of await placesOf(target)) {
    const made = await connect(place, until);
    if (typeof made === 'number') return talkQuietly(made, `${target.host}:${target.port}`, events);
    problem = new Error(
      made === 'timeout'
        ? `${target.host}:${target.port} did not answer within ${limitMs / 1000} s`
        : `${target.host}:${target.port} cannot be reached${made && `: ${made}`}`,
    );
  }
  throw problem;
};

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_ERROR = 4;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const POLLOUT = 4;
const MSG_NOSIGNAL = 0x4000;
const MSG_DONTWAIT = 0x40;
const SHUT_WR = 1;

/** struct sockaddr_in or sockaddr_in6 of every address of the name. */
async function placesOf({ host, port }: StreamTarget): Promise<Uint8Array[]> {
  const found = addressBytes(host) === null ? await lookUp(host, port) : [host];
  return found.flatMap((one) => {
    const bytes = addressBytes(one);
    if (bytes === null) return [];
    const isShort = bytes.length === 4;
    const place = pinned(isShort ? 16 : 28);
    const view = new DataView(place.buffer);
    view.setUint16(0, isShort ? AF_INET : AF_INET6, true);
    view.setUint16(2, port);
    place.set(bytes, isShort ? 4 : 8);
    return [place];
  });
}

const codes: Record<number, string> = {
  101: 'ENETUNREACH',
  110: 'ETIMEDOUT',
  111: 'ECONNREFUSED',
  113: 'EHOSTUNREACH',
};

const firstPauseMs = 2;
const longestPauseMs = 50;

/** Its descriptor, or the reason for the failure. */
async function connect(place: Uint8Array, until: number): Promise<number | string> {
  const family = new DataView(place.buffer).getUint16(0, true);
  const descriptor = libc.socket(family, SOCK_STREAM | fs.constants.O_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return 'the system refused to create a socket';
  const refuse = (why: string) => {
    fs.closeSync(descriptor);
    return why;
  };
  libc.connect(descriptor, address(place), place.length);
  const polled = pinned(8);
  const state = new DataView(polled.buffer);
  state.setInt32(0, descriptor, true);
  state.setInt16(4, POLLOUT, true);
  for (
    let pauseMs = firstPauseMs;
    libc.poll(address(polled), 1n, 0) === 0;
    pauseMs = Math.min(longestPauseMs, pauseMs * 2)
  ) {
    if (performance.now() >= until) return refuse('timeout');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const value = pinned(4);
  const length = pinned(4);
  length[0] = 4;
  libc.getsockopt(descriptor, SOL_SOCKET, SO_ERROR, address(value), address(length));
  const error = new DataView(value.buffer).getInt32(0, true);
  if (error !== 0) return refuse(connectionProblem(codes[error] ?? '') ?? `error ${error}`);
  // After an immediate failure there is neither an error nor a peer.
  const name = pinned(28);
  length[0] = 28;
  if (libc.getpeername(descriptor, address(name), address(length)) !== 0) return refuse('');
  value[0] = 1;
  libc.setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, address(value), 4);
  return descriptor;
}

/** Interval of the checks whether a peer reads again. */
const firstRetryMs = 10;
const longestRetryMs = 500;

/** Over a connected socket. `name`: of the peer. */
export function talkQuietly(
  descriptor: number,
  name: string,
  events: Pick<ByteStreamEvents, 'data' | 'closed'>,
): ByteStream {
  let isOver = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryMs = firstRetryMs;
  let paused: PromiseWithResolvers<void> | null = null;
  const queue = createWriteQueue((bytes) => {
    // Below zero the buffer is full or the connection is closed, which the reading side reports.
    const sent = Number(libc.send(descriptor, address(bytes), BigInt(bytes.length), MSG_NOSIGNAL | MSG_DONTWAIT));
    retryMs = sent > 0 ? firstRetryMs : Math.min(longestRetryMs, retryMs * 2);
    clearTimeout(retry);
    if (sent < bytes.length) retry = setTimeout(queue.flush, retryMs);
    return sent;
  });

  const release = () => {
    isOver = true;
    queue.clear();
    clearTimeout(retry);
  };
  const stop = followStream(
    descriptor,
    (bytes) => {
      if (!isOver) events.data(bytes);
    },
    (problem) => {
      if (isOver) return;
      release();
      events.closed(problem === 'it was closed' ? null : new Error(problem));
    },
    () => paused?.promise ?? null,
  );

  const end = () => {
    release();
    libc.shutdown(descriptor, SHUT_WR);
    stop();
  };

  return {
    send(bytes) {
      if (isOver || bytes.length === 0) return;
      queue.add(bytes);
      if (queue.waiting() <= mostWaiting) return;
      end();
      queueMicrotask(() => events.closed(new Error(`${name} does not read the data that is sent to it`)));
    },
    waiting: queue.waiting,
    pause() {
      paused ??= Promise.withResolvers();
    },
    resume() {
      paused?.resolve();
      paused = null;
    },
    close() {
      if (isOver) return;
      queue.flush();
      end();
    },
  };
}
