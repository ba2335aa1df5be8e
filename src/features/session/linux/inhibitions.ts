import type { Bus } from '@hostler/dbus/dbus.ts';
import { ownersOf } from '../../../host/linux/dbus/bus-properties.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import { createStops } from '../../../lib/closing.ts';

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
      const lost = () => drop(kind);
      const stopOwner = await session.subscribe(ownersOf(owner), lost);
      // Inhibitions of the old connection have ended with it.
      held.set(kind, { cookie, stop: createStops(stopOwner, session.onReconnected(lost, lost)).end });
    },
    drop,
  };
}
