import { createBus } from '@hostler/dbus/bus.ts';
import { createOffers } from '@hostler/dbus/exported-objects.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';

const daemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** A stand-in for systemd-localed with this keyboard layout; returns how to end it. */
export async function offerKeyboardLayout(socket: string, layout: string): Promise<() => void> {
  const facts: Record<string, string> = { X11Layout: layout, X11Model: 'pc105', X11Variant: '', X11Options: '' };
  const properties = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, { type: 's', read: () => value }]),
  );
  const offers = createOffers(
    { '/org/freedesktop/locale1': { 'org.freedesktop.locale1': { properties } } },
    { most: 1000, whileMs: 1000, now: () => performance.now(), flooded: () => {} },
  );
  const bus = createBus(() => [{ socket, guid: null, peer: 'self' }], connectVerified, { offers, idleMs: 3_600_000 });
  await bus.call({ ...daemon, member: 'RequestName', signature: 'su', body: ['org.freedesktop.locale1', 0] });
  return () => bus.close();
}
