import fs from 'node:fs';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { openBusLink, replyTimeoutMs } from '@hostler/dbus/link.ts';
import { checkCall } from '@hostler/dbus/names.ts';
import { wrap } from '@hostler/dbus/wrap.ts';
import { createStops } from '../../../lib/closing.ts';
import { createThreadCalls } from '../../../lib/thread-calls.ts';
import { systemPlaces } from '../dbus/bus-address.ts';
import { connectCarrier } from '../descriptor-socket.ts';
import { libc } from '../libc.ts';
import type { LinuxHost } from '../linux-host.ts';

export interface HoldHost extends Pick<LinuxHost, 'startThread' | 'clock'> {
  environment: Pick<LinuxHost['environment'], 'variable'>;
}

/** Foreign descriptors that are being closed now. More are not received. */
const closing = new Set<number>();
const mostClosing = 16;
const threadIdleMs = 1000;

/**
 * Calls a method of the system bus that returns a pipe, as inhibitors are, on a connection that ends with the reply. The pipe stays open until the returned
 * function is called, whatever happens to the bus. Any user can send descriptors to that connection.
 */
export async function holdPipe({ environment, startThread, clock }: HoldHost, call: BusCall): Promise<() => void> {
  checkCall(call);
  const { destination, path, interface: iface, member, signature = '', body = [], timeoutMs = replyTimeoutMs } = call;
  const ending = new AbortController();
  const events = { onSignal: () => {}, onEnded: () => {}, closing: ending.signal };
  const thread = createThreadCalls(startThread, clock, { job: 'closing', idleMs: threadIdleMs });
  const close = (descriptor: number) => {
    if (isPipe(descriptor)) return fs.closeSync(descriptor);
    closing.add(descriptor);
    if (closing.size > mostClosing) ending.abort();
    void thread.ask(descriptor).then(
      () => closing.delete(descriptor),
      () => {},
    );
  };
  const [place] = systemPlaces(environment);
  try {
    if (place === undefined) throw new BusError('Client.NoBus', 'There is no address of the system bus.');
    if (closing.size > mostClosing)
      throw new BusError('Client.Refused', 'Another user sent descriptors over the system bus that cannot be closed.');
    const link = await openBusLink(place, events, connectCarrier, { timeoutMs, closeDescriptor: close });
    const message = { destination, path, interface: iface, member, signature, body: wrap(signature, body) };
    const [held, ...others] = await link.requestDescriptors(message, timeoutMs);
    for (const other of others) close(other);
    if (held !== undefined && isPipe(held)) {
      // A closed number may have been reused.
      return createStops(() => fs.closeSync(held)).end;
    }
    if (held !== undefined) close(held);
    throw new BusError('Client.Invalid', `${iface}.${member} answered without a pipe.`);
  } finally {
    ending.abort();
  }
}

/** Asks only the kernel: the file system of a foreign file may let anything else wait. */
const isPipe = (descriptor: number) => libc.fcntl(descriptor, F_GETPIPE_SZ, 0) >= 0;
const F_GETPIPE_SZ = 1032;
