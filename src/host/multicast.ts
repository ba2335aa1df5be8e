import type { Socket } from 'node:dgram';
import { addressBytes } from '../lib/ip-address.ts';
import { createSequence } from '../lib/later.ts';
import { createNetwork, type InterfaceAddress } from './network.ts';

export interface DatagramPeer {
  address: string;
  port: number;
}

/** Datagrams to and from all hosts on the same link. IPv4 only. */
export interface MulticastSocket {
  /** Uses the interfaces with these addresses, and no others. */
  join(addresses: readonly string[]): void;
  /** Resolves when it was sent through each interface; interfaces that refuse it are skipped. */
  send(bytes: Uint8Array): Promise<void>;
  /** To one peer. */
  reply(bytes: Uint8Array, to: DatagramPeer): Promise<void>;
  close(): void;
}

export type DatagramListener = (bytes: Uint8Array, from: DatagramPeer) => void;

/** Rejects with the system's error when the port cannot be bound. `received` must not throw. */
export type OpenMulticast = (group: string, port: number, received: DatagramListener) => Promise<MulticastSocket>;

/** A socket bound to the group receives no packets from beyond the link; on Windows, where it cannot be, their senders are compared. */
export function createOpenMulticast(bindsToGroup: boolean, addresses = createNetwork().addresses): OpenMulticast {
  return async (group, port, received) => {
    // 3 MB that a service for this machine alone does not need.
    const { createSocket } = await import('node:dgram');
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    // Bound to the group, it also takes none from other programs.
    await bound(socket, port, bindsToGroup ? group : undefined);
    let links: InterfaceAddress[] = [];
    const isFromLink = (address: string) => bindsToGroup || links.some((link) => isSameNetwork(address, link));
    socket.on('error', () => {});
    socket.on('message', (bytes, { address, port: from }) => {
      if (isFromLink(address)) received(bytes, { address, port: from });
    });
    socket.setMulticastTTL(255);

    let joined: readonly string[] = [];
    let isOpen = true;
    const inTurn = createSequence();
    /** The interface is a property of the socket, so datagrams are sent one at a time. */
    const enqueue = (work: () => Promise<void>) => inTurn(async () => (isOpen ? work() : undefined)).catch(() => {});
    const sent = (bytes: Uint8Array, to: DatagramPeer) =>
      new Promise<void>((resolve) => socket.send(bytes, to.port, to.address, () => resolve()));

    return {
      join(through) {
        for (const address of joined)
          if (!through.includes(address)) attempt(() => socket.dropMembership(group, address));
        // An interface that was removed and added must be joined again; for one that stayed the call fails.
        for (const address of through) attempt(() => socket.addMembership(group, address));
        joined = [...through];
        if (!bindsToGroup) links = addressesBeside(through, addresses());
      },
      send: (bytes) =>
        enqueue(async () => {
          for (const address of joined) {
            if (attempt(() => socket.setMulticastInterface(address))) await sent(bytes, { address: group, port });
          }
        }),
      reply: (bytes, to) => enqueue(() => sent(bytes, to)),
      close() {
        if (isOpen) socket.close();
        isOpen = false;
      },
    };
  };
}

export interface BroadcastTarget {
  /** Our address on the interface through which the datagram leaves. */
  from: string;
  address: string;
  port: number;
}

export type SendBroadcast = (bytes: Uint8Array, to: BroadcastTarget) => Promise<void>;

/** Sends one datagram to all machines of a network. Rejects with the system's error. */
export const sendBroadcast: SendBroadcast = async (bytes, { from, address, port }) => {
  // Loaded on use: it takes 3 MB.
  const { createSocket } = await import('node:dgram');
  const socket = createSocket({ type: 'udp4' });
  try {
    await bound(socket, 0, from);
    socket.setBroadcast(true);
    await new Promise<void>((resolve, reject) => {
      socket.send(bytes, port, address, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    attempt(() => socket.close());
  }
};

function bound(socket: Socket, port: number, address: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      attempt(() => socket.close());
      reject(error);
    });
    socket.bind({ port, address }, () => {
      socket.removeAllListeners('error');
      resolve();
    });
  });
}

/** The IPv4 addresses of the interfaces that have one of these. */
function addressesBeside(through: readonly string[], all: readonly InterfaceAddress[]): InterfaceAddress[] {
  const names = new Set(all.filter(({ address }) => through.includes(address)).map((entry) => entry.interface));
  return all.filter((entry) => entry.family === 4 && names.has(entry.interface));
}

/** RFC 6762, 11. */
function isSameNetwork(peer: string, { address, netmask = '' }: InterfaceAddress): boolean {
  const [theirs, own, mask] = [peer, address, netmask].map(addressBytes);
  return mask?.every((byte, index) => (((theirs?.[index] ?? 0) ^ (own?.[index] ?? 0)) & byte) === 0) ?? false;
}

function attempt(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
