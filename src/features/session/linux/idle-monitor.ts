import type { Bus } from '@hostler/dbus/dbus.ts';
import { busTimeoutMs, hasOwner, ownersOf, signalsOf } from '../../../host/linux/dbus/bus-properties.ts';
import { createStops } from '../../../lib/closing.ts';

/** The idle time of GNOME. Its watches last as long as the bus connection. */
interface IdleMonitor {
  /** Milliseconds since the last key or movement; null: no GNOME. */
  now(): Promise<number | null>;
  /** Calls back when the idle time passes this mark, at the next input, and when GNOME starts or ends. */
  mark(ms: number, passed: (how: 'idle' | 'used' | 'unknown') => void): () => void;
}

const monitor = {
  destination: 'org.gnome.Mutter.IdleMonitor',
  path: '/org/gnome/Mutter/IdleMonitor/Core',
  interface: 'org.gnome.Mutter.IdleMonitor',
};
const timeoutMs = busTimeoutMs;

export function idleMonitor(session: Bus): IdleMonitor {
  const call = (member: string, signature = '', body: unknown[] = []) =>
    session.call({ ...monitor, member, signature, body, timeoutMs });

  return {
    async now() {
      try {
        if (!(await hasOwner(session, monitor.destination))) return null;
        return Number((await call('GetIdletime'))[0]);
      } catch {
        return null;
      }
    },
    mark(ms, passed) {
      const stops = createStops(session.onReconnected(() => again()));
      let idleWatch: unknown = null;
      let useWatch: unknown = null;

      const add = async () => {
        try {
          if (!(await hasOwner(session, monitor.destination)) || stops.isEnded()) return;
          [idleWatch] = await call('AddIdleWatch', 't', [ms]);
          if (stops.isEnded()) remove();
        } catch {
          // GNOME ended between the two calls; its return is announced.
        }
      };
      const fired = ([watch]: unknown[]) => {
        if (watch === idleWatch && watch !== null) {
          passed('idle');
          // An active watch fires once.
          call('AddUserActiveWatch').then(
            ([added]) => {
              useWatch = added;
            },
            () => passed('unknown'),
          );
        } else if (watch === useWatch && watch !== null) {
          useWatch = null;
          passed('used');
        }
      };
      const remove = () => {
        for (const watch of [idleWatch, useWatch])
          if (watch !== null) call('RemoveWatch', 'u', [watch]).catch(() => {});
        idleWatch = null;
        useWatch = null;
      };
      const again = () => {
        [idleWatch, useWatch] = [null, null];
        passed('unknown');
        void add();
      };
      Promise.all([
        session.subscribe(signalsOf(monitor, 'WatchFired'), ({ body }) => fired(body)).then(stops.add),
        session.subscribe(ownersOf(monitor.destination), again).then(stops.add),
      ]).then(add, () => {});
      return () => {
        stops.end();
        remove();
      };
    },
  };
}
