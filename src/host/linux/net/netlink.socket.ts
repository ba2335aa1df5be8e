import fs from 'node:fs';
import { type EachMessage, type Netlink, NetlinkError, type NetlinkSocket } from '@hostler/netlink/netlink.ts';
import { address, followStream, pinned } from '../../ffi.ts';
import { libc } from '../libc.ts';
import { createBatch, type ReceiveBatch } from './netlink.batch.ts';

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
const SOL_NETLINK = 270;
const NETLINK_NO_ENOBUFS = 5;
const NETLINK_ROUTE = 0;

const NLM_F_REQUEST = 0x1;
const NLM_F_DUMP = 0x300;
const NLM_F_DUMP_INTR = 0x10;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const headerBytes = 16;

/** The kernel fills at most 32 KiB at a time. */
const bufferBytes = 65_536;
/** Far above the largest table; a longer reply is treated as endless. */
const mostPieces = 10_000;

export function createNetlink(): Netlink {
  const { socket, bind, setsockopt, recvmmsg } = libc;
  // A piece is processed before the next one is read, also from another socket.
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  let batch: ReceiveBatch | null = null;
  const receiveBatch: ReceiveBatch = (...args) => {
    batch ??= createBatch(recvmmsg);
    batch(...args);
  };

  const openDescriptor = (protocol: number): number => {
    const descriptor = socket(AF_NETLINK, SOCK_RAW | fs.constants.O_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (descriptor >= 0) return descriptor;
    throw new Error('Netlink sockets are refused; a sandbox has to allow AF_NETLINK (RestrictAddressFamilies=)');
  };

  const join = (descriptor: number, groups: number) => {
    const name = pinned(12);
    const view = new DataView(name.buffer);
    view.setUint16(0, AF_NETLINK, true);
    view.setUint32(8, groups, true);
    if (bind(descriptor, address(name), name.length) !== 0) throw new Error('Netlink groups cannot be joined');
    // On overflow the kernel may drop messages, but the remaining ones still report that something changed.
    const yes = pinned(4);
    yes[0] = 1;
    setsockopt(descriptor, SOL_NETLINK, NETLINK_NO_ENOBUFS, address(yes), yes.length);
  };

  return {
    open: (protocol) => openSocket(openDescriptor(protocol), buffer, receiveBatch),
    async follow(groups, received, closed) {
      const descriptor = openDescriptor(NETLINK_ROUTE);
      try {
        join(descriptor, groups);
      } catch (error) {
        fs.closeSync(descriptor);
        throw error;
      }
      const listen = (bytes: Uint8Array) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        eachMessage(view, 0, bytes.byteLength, (at, end, type) => received(view, at + headerBytes, end, type));
      };
      return followStream(descriptor, listen, closed);
    },
  };
}

function openSocket(descriptor: number, buffer: Buffer<ArrayBuffer>, receiveBatch: ReceiveBatch): NetlinkSocket {
  /** The same requests are repeated. */
  const encoded = new WeakMap<Parameters<NetlinkSocket['find']>[0], Uint8Array<ArrayBuffer>>();
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  let sequence = 0;
  let isOpen = true;
  return {
    *ask(type, body, each) {
      sequence += 1;
      fs.writeSync(descriptor, encodeRequests([{ message: type, body }], NLM_F_REQUEST | NLM_F_DUMP, sequence));
      const state = { done: false, changed: false };
      for (let piece = 0; piece < mostPieces; piece++) {
        // The number may already belong to another file.
        if (!isOpen) throw new Error('This netlink socket was closed');
        const got = fs.readSync(descriptor, buffer, 0, buffer.length, null);
        takeReplies(view, 0, got, sequence, each, state);
        if (state.done) return !state.changed;
        yield;
      }
      throw new Error('The reply to a netlink request is not terminated');
    },
    find(requests, each) {
      sequence += 1;
      const bytes = encoded.get(requests) ?? encodeRequests(requests, NLM_F_REQUEST, sequence);
      encoded.set(requests, bytes);
      renumber(bytes, sequence);
      fs.writeSync(descriptor, bytes);
      receiveBatch(descriptor, requests.length, (reply, at, end) => {
        takeReplies(reply, at, end, sequence, each, { done: false, changed: false });
      });
    },
    close() {
      if (isOpen) fs.closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Several requests in one write. */
function encodeRequests(
  requests: readonly { message: number; body: Uint8Array }[],
  flags: number,
  sequence: number,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(requests.reduce((length, { body }) => length + headerBytes + body.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { message, body } of requests) {
    view.setUint32(at, headerBytes + body.length, true);
    view.setUint16(at + 4, message, true);
    view.setUint16(at + 6, flags, true);
    view.setUint32(at + 8, sequence, true);
    bytes.set(body, at + headerBytes);
    at += headerBytes + body.length;
  }
  return bytes;
}

function renumber(bytes: Uint8Array<ArrayBuffer>, sequence: number): void {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += view.getUint32(at, true)) view.setUint32(at + 8, sequence, true);
}

function takeReplies(
  view: DataView,
  from: number,
  to: number,
  sequence: number,
  each: EachMessage,
  state: { done: boolean; changed: boolean },
): void {
  eachMessage(view, from, to, (at, end, type) => {
    if (view.getUint32(at + 8, true) !== sequence) return;
    if ((view.getUint16(at + 6, true) & NLM_F_DUMP_INTR) !== 0) state.changed = true;
    if (type === NLMSG_ERROR || type === NLMSG_DONE) {
      const error = end - at >= headerBytes + 4 ? view.getInt32(at + headerBytes, true) : 0;
      if (error < 0) throw new NetlinkError(-error);
      state.done = true;
    } else each(view, at + headerBytes, end, type);
  });
}

function eachMessage(
  view: DataView,
  from: number,
  to: number,
  take: (at: number, end: number, type: number) => void,
): void {
  let at = from;
  while (at + headerBytes <= to) {
    const bytes = view.getUint32(at, true);
    if (bytes < headerBytes || at + bytes > to) throw new Error('A netlink message is truncated');
    take(at, at + bytes, view.getUint16(at + 4, true));
    at += (bytes + 3) & ~3;
  }
}
