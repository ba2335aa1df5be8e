import { definePart } from '../../core/part.ts';
/** One datagram to everybody on a network. `from`: the address of ours through whose interface it leaves. Rejects with the system's error. */
export type SendBroadcast = (bytes: Uint8Array, to: BroadcastTarget) => Promise<void>;

export interface BroadcastTarget {
  from: string;
  address: string;
  port: number;
}

export const sendBroadcast = definePart<SendBroadcast>({
  name: 'networks.broadcast',
  create: () => send,
  absent: async () => {
    throw new Error('A recording is connected to no network');
  },
});

const send: SendBroadcast = async (bytes, { from, address, port }) => {
  // 3 MB that nobody needs who wakes no other machine.
  const { createSocket } = await import('node:dgram');
  const socket = createSocket({ type: 'udp4' });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ port: 0, address: from }, () => {
        socket.setBroadcast(true);
        socket.send(bytes, port, address, (error) => (error ? reject(error) : resolve()));
      });
    });
  } finally {
    socket.close();
  }
};
