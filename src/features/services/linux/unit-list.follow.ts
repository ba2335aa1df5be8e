import type { Bus, Signal, SignalMatch } from '@hostler/dbus/dbus.ts';
import { BusError, busDaemon } from '@hostler/dbus/dbus.ts';
import { systemdManager, systemdName } from '../../../host/linux/systemd/systemd-bus.ts';

/** What systemd announces about its units. */
export interface UnitEvents {
  came(name: string): void;
  went(path: string): void;
  unitChanged(path: string, values: Record<string, unknown>): void;
  serviceChanged(path: string, values: Record<string, unknown>): void;
  /** Files of units were changed, or all of them read again. */
  filesChanged(): void;
  /** Another systemd, or another bus: nothing that was known counts. */
  begunAnew(): void;
}

const timeoutMs = 5000;

/** Rejects where that cannot be heard. Returns the way to stop. */
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
  const follow = async (match: SignalMatch, heard: (signal: Signal) => void) => {
    stops.push(await bus.subscribe(match, heard));
  };
  // While it reads everything again, it announces each unit as gone and as new.
  let isReloading = false;
  const managerSaid = ({ member, body }: Signal) => {
    if (member === 'Reloading') {
      isReloading = body[0] === true;
      if (!isReloading) events.filesChanged();
    } else if (isReloading) return;
    else if (member === 'UnitNew') events.came(String(body[0]));
    else if (member === 'UnitRemoved') events.went(String(body[1]));
    else if (member === 'UnitFilesChanged') events.filesChanged();
  };
  const anew = () => {
    isReloading = false;
    events.begunAnew();
    void subscribe(bus).catch(() => {});
  };
  try {
    await Promise.all([
      follow({ sender: systemdName, path, interface: iface }, managerSaid),
      follow({ ...changes, arg0: `${systemdName}.Unit` }, ({ path, body }) => events.unitChanged(path, valuesIn(body))),
      follow({ ...changes, arg0: `${systemdName}.Service` }, ({ path, body }) =>
        events.serviceChanged(path, valuesIn(body)),
      ),
      follow(
        {
          sender: busDaemon.destination,
          path: busDaemon.path,
          interface: busDaemon.interface,
          member: 'NameOwnerChanged',
          arg0: systemdName,
        },
        anew,
      ),
    ]);
    await subscribe(bus);
  } catch (error) {
    stop();
    throw error;
  }
  stops.push(bus.onReconnected(anew, () => events.begunAnew()));
  stops.push(() => void call(bus, 'Unsubscribe').catch(() => {}));
  return stop;
}

/** systemd announces nothing to a bus on which nobody has said that he listens. */
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
