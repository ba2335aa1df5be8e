import type { Bus, Signal, SignalMatch } from '@hostler/dbus/dbus.ts';
import { BusError } from '@hostler/dbus/dbus.ts';
import { ownersOf } from '../../../host/linux/dbus/bus-properties.ts';
import { systemdManager, systemdName } from '../../../host/linux/systemd/systemd-bus.ts';

/** Signals of systemd about its units. */
export interface UnitEvents {
  added(name: string): void;
  removed(path: string): void;
  unitChanged(path: string, values: Record<string, unknown>): void;
  serviceChanged(path: string, values: Record<string, unknown>): void;
  /** Unit files changed, or systemd reloaded all of them. */
  filesChanged(): void;
  /** systemd or the bus was restarted: all cached state is invalid. */
  restarted(): void;
}

const timeoutMs = 5000;

/** Rejects if the signals cannot be subscribed. Returns a function that unsubscribes. */
export async function followUnits(bus: Bus, events: UnitEvents): Promise<() => void> {
  const { path, interface: iface } = systemdManager;
  const changes = {
    sender: systemdName,
    pathNamespace: `${path}/unit`,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'PropertiesChanged',
  };
  const stops: (() => void)[] = [];
  const stop = () => {
    for (const each of stops.splice(0)) each();
  };
  const follow = async (match: SignalMatch, handle: (signal: Signal) => void) => {
    stops.push(await bus.subscribe(match, handle));
  };
  // While systemd reloads, it announces each unit as removed and as new.
  let isReloading = false;
  const onManagerSignal = ({ member, body }: Signal) => {
    if (member === 'Reloading') {
      isReloading = body[0] === true;
      if (!isReloading) events.filesChanged();
    } else if (isReloading) return;
    else if (member === 'UnitNew') events.added(String(body[0]));
    else if (member === 'UnitRemoved') events.removed(String(body[1]));
    else if (member === 'UnitFilesChanged') events.filesChanged();
  };
  const onRestart = () => {
    isReloading = false;
    events.restarted();
    void subscribe(bus).catch(() => {});
  };
  try {
    await Promise.all([
      follow({ sender: systemdName, path, interface: iface }, onManagerSignal),
      follow({ ...changes, arg0: `${systemdName}.Unit` }, ({ path, body }) => events.unitChanged(path, valuesIn(body))),
      follow({ ...changes, arg0: `${systemdName}.Service` }, ({ path, body }) =>
        events.serviceChanged(path, valuesIn(body)),
      ),
      follow(ownersOf(systemdName), onRestart),
    ]);
    await subscribe(bus);
  } catch (error) {
    stop();
    throw error;
  }
  stops.push(bus.onReconnected(onRestart, () => events.restarted()));
  stops.push(() => void call(bus, 'Unsubscribe').catch(() => {}));
  return stop;
}

/** systemd sends signals only while a connection is subscribed. */
async function subscribe(bus: Bus): Promise<void> {
  try {
    await call(bus, 'Subscribe');
  } catch (error) {
    if (!(error instanceof BusError && error.errorName.endsWith('.AlreadySubscribed'))) throw error;
  }
}

const call = (bus: Bus, member: string) => bus.call({ ...systemdManager, member, timeoutMs });

const valuesIn = ([, values]: unknown[]): Record<string, unknown> =>
  typeof values === 'object' && values !== null ? Object.fromEntries(Object.entries(values)) : {};
