import type { Bus } from '@hostler/dbus/dbus.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';

const bus = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };

/** One for each connection, since inhibitions end with it. */
export const heldInhibitions = keptFor(createHeld);

/** Inhibitions that other programs hold for this service while its bus connection lasts, such as Plasma's of notifications. */
function createHeld(session: Bus) {
  const held = new Map<string, { cookie: number; stop: () => void }>();
  const drop = (kind: string) => {
    held.get(kind)?.stop();
    held.delete(kind);
  };
  return {
    /** undefined: no inhibition of this kind is held. */
    cookie: (kind: string) => held.get(kind)?.cookie,
    /** Keeps the connection open, and drops the inhibition when the owner of this bus name changes. */
    async hold(kind: string, cookie: number, owner: string) {
      drop(kind);
      const match = { sender: 'org.freedesktop.DBus', ...bus, member: 'NameOwnerChanged', arg0: owner };
      const stopOwner = await session.subscribe(match, () => drop(kind));
      // Inhibitions of the old connection have ended with it.
      const stopLost = session.onReconnected(
        () => drop(kind),
        () => drop(kind),
      );
      const stop = () => {
        stopOwner();
        stopLost();
      };
      held.set(kind, { cookie, stop });
    },
    drop,
  };
}
