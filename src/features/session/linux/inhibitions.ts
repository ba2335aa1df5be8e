import type { Bus } from '@hostler/dbus/dbus.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';

/** What others hold back for us for as long as our connection lasts, such as Plasma's notifications. */
export interface HeldInhibitions {
  /** The number it was given; undefined: we hold nothing of the kind. */
  cookie(kind: string): number | undefined;
  /** Keeps the connection open, and forgets it all when whoever has this name is another one. */
  hold(kind: string, cookie: number, owner: string): Promise<void>;
  drop(kind: string): void;
}

const bus = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };

/** One for each connection: it is the connection that they hang on. */
export const heldInhibitions = keptFor(createHeld);

function createHeld(session: Bus): HeldInhibitions {
  const held = new Map<string, { cookie: number; stop: () => void }>();
  const drop = (kind: string) => {
    held.get(kind)?.stop();
    held.delete(kind);
  };
  return {
    cookie: (kind) => held.get(kind)?.cookie,
    async hold(kind, cookie, owner) {
      drop(kind);
      const match = { sender: 'org.freedesktop.DBus', ...bus, member: 'NameOwnerChanged', arg0: owner };
      const stopOwner = await session.subscribe(match, () => drop(kind));
      // A new connection is another one to whoever held something back for the old.
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
