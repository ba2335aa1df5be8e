import { address, type Pointer, pinned } from '../../ffi.ts';

/** Receives a number of short messages that have arrived already. Throws if one is missing or too long. */
export type ReceiveBatch = (
  descriptor: number,
  count: number,
  each: (bytes: DataView, at: number, end: number) => void,
) => void;

type Recvmmsg = (
  descriptor: number,
  messages: Pointer,
  count: number,
  flags: number,
  timeout: Pointer | null,
) => number;

const most = 64;
const messageBytes = 2048;
/** struct mmsghdr and struct iovec of 64-bit systems. https://man7.org/linux/man-pages/man2/recvmmsg.2.html */
const headerBytes = 64;
const vectorBytes = 16;
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;

/** One call for all of them: a call for each would cost more than the kernel's replies do. */
export function createBatch(recvmmsg: Recvmmsg): ReceiveBatch {
  const memory = pinned(most * (headerBytes + vectorBytes + messageBytes));
  const view = new DataView(memory.buffer);
  const place = address(memory);
  const vectorAt = (index: number) => most * headerBytes + index * vectorBytes;
  const messageAt = (index: number) => most * (headerBytes + vectorBytes) + index * messageBytes;
  for (let index = 0; index < most; index += 1) {
    view.setBigUint64(index * headerBytes + 16, BigInt(place + vectorAt(index)), true);
    view.setBigUint64(index * headerBytes + 24, 1n, true);
    view.setBigUint64(vectorAt(index), BigInt(place + messageAt(index)), true);
    view.setBigUint64(vectorAt(index) + 8, BigInt(messageBytes), true);
  }
  return (descriptor, count, each) => {
    for (let left = count; left > 0; ) {
      const got = recvmmsg(descriptor, place, Math.min(left, most), MSG_DONTWAIT, null);
      if (got <= 0) throw new Error('A reply of the kernel is missing');
      for (let index = 0; index < got; index += 1) {
        const flags = view.getUint32(index * headerBytes + 48, true);
        if ((flags & MSG_TRUNC) !== 0) throw new Error('A reply of the kernel is longer than expected');
        const at = messageAt(index);
        each(view, at, at + view.getUint32(index * headerBytes + 56, true));
      }
      left -= got;
    }
  };
}
