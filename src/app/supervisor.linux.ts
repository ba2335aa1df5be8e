import { address, pinned } from '../host/ffi.ts';
import { libc } from '../host/linux/libc.ts';
import type { Clock } from '../lib/clock.ts';
import type { Supervisor } from './supervisor.contract.ts';

type Variables = Record<string, string | undefined>;

/**
 * systemd, which waits for notifications (`Type=notify`). null: it cannot be reached.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
 */
export function openSupervisor(variables: Variables, clock: Clock, pid = process.pid): Supervisor | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval, WATCHDOG_PID: watched } = variables;
  // Not inherited by the programs that we start.
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete variables[name];
  const place = socketAddress(socket ?? '');
  if (place === null) return null;
  const system = openSystem(place);
  if (system === null) return null;
  const send = createSender(system.send, clock);
  return {
    watchdogMs: watchdogMs(interval, watched, pid),
    ready: (status) => send(`READY=1\nSTATUS=${oneLine(status)}`),
    reloading: () =>
      send(`RELOADING=1\nMONOTONIC_USEC=${system.monotonicMicroseconds()}\nSTATUS=Reading the settings again`),
    stopping: () => send('STOPPING=1\nSTATUS=Stopping'),
    // The next one follows soon.
    alive: () => void system.send('WATCHDOG=1'),
  };
}

export function watchdogMs(interval: string | undefined, watched: string | undefined, pid: number): number | null {
  const microseconds = /^\d+$/.test(interval ?? '') ? Number(interval) : 0;
  if (microseconds === 0 || (watched !== undefined && watched !== String(pid))) return null;
  return microseconds / 1000;
}

/** struct sockaddr_un; null: another kind of address, such as that of a virtual machine's systemd. */
export function socketAddress(socket: string): Uint8Array<ArrayBuffer> | null {
  const isAbstract = socket.startsWith('@');
  if (!isAbstract && !socket.startsWith('/')) return null;
  const name = new TextEncoder().encode(isAbstract ? `\0${socket.slice(1)}` : `${socket}\0`);
  if (name.length > longestName) return null;
  const bytes = pinned(2 + name.length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  return bytes;
}

/** In order, and again a moment later while the receiver is too busy. */
export function createSender(send: (text: string) => boolean, clock: Pick<Clock, 'after'>): (text: string) => void {
  const waiting: string[] = [];
  const flush = () => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (!send(first)) return void clock.after(againAfterMs, flush);
      waiting.shift();
    }
  };
  return (text) => {
    waiting.push(text);
    if (waiting.length > mostWaiting) waiting.shift();
    if (waiting.length === 1) flush();
  };
}

const againAfterMs = 200;
const mostWaiting = 8;
const longestName = 108;
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;

interface System {
  /** false: it was not received. */
  send(text: string): boolean;
  monotonicMicroseconds(): bigint;
}

/** The runtime has no Unix datagram sockets; the C library has. */
function openSystem(place: Uint8Array<ArrayBuffer>): System | null {
  try {
    const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return null;
    const time = pinned(16);
    return {
      send(text) {
        const encoded = new TextEncoder().encode(text);
        const bytes = pinned(encoded.length);
        bytes.set(encoded);
        const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
        return libc.sendto(descriptor, address(bytes), encoded.length, flags, address(place), place.length) >= 0;
      },
      monotonicMicroseconds() {
        libc.clock_gettime(CLOCK_MONOTONIC, address(time));
        const view = new DataView(time.buffer);
        return view.getBigInt64(0, true) * 1_000_000n + view.getBigInt64(8, true) / 1000n;
      },
    };
  } catch {
    return null;
  }
}

/** Each line of a message is an assignment. */
const oneLine = (text: string) => text.replaceAll('\n', ' ');
