import fs from 'node:fs';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { openBusLink, replyTimeoutMs } from '@hostler/dbus/link.ts';
import { checkCall } from '@hostler/dbus/names.ts';
import { wrap } from '@hostler/dbus/wrap.ts';
import { createStops } from '../../../lib/closing.ts';
import type { Environment } from '../../environment.ts';
import { systemPlaces } from '../dbus/bus-address.ts';
import { connectCarrier } from '../descriptor-socket.ts';

/** Calls a method of the system bus that returns a descriptor, on a connection that ends with the reply. The descriptor stays open until the returned function is called, whatever happens to the bus. */
export async function holdDescriptor(environment: Pick<Environment, 'variable'>, call: BusCall): Promise<() => void> {
  checkCall(call);
  const { destination, path, interface: iface, member, signature = '', body = [], timeoutMs = replyTimeoutMs } = call;
  const closing = new AbortController();
  const events = { onSignal: () => {}, onEnded: () => {}, closing: closing.signal };
  const [place] = systemPlaces(environment);
  try {
    if (place === undefined) throw new BusError('Client.NoBus', 'There is no address of the system bus.');
    const link = await openBusLink(place, events, connectCarrier, { timeoutMs, closeDescriptor: fs.closeSync });
    const message = { destination, path, interface: iface, member, signature, body: wrap(signature, body) };
    const [held, ...others] = await link.requestDescriptors(message, timeoutMs);
    for (const other of others) fs.closeSync(other);
    if (held === undefined) throw new BusError('Client.Invalid', `${iface}.${member} answered without a descriptor.`);
    // A closed number may have been reused.
    return createStops(() => fs.closeSync(held)).end;
  } finally {
    closing.abort();
  }
}
