import type { Bus } from '@hostler/dbus/dbus.ts';
import { getProperty, hasOwner } from '../dbus/bus-properties.ts';

export const systemdName = 'org.freedesktop.systemd1';

/** https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.systemd1.html */
export const systemdManager = {
  destination: systemdName,
  path: '/org/freedesktop/systemd1',
  interface: `${systemdName}.Manager`,
} as const;

/** Whether systemd is on this bus. A call would try to start systemd on a bus that it does not manage. */
export const isManaged = (bus: Bus, timeoutMs: number): Promise<boolean> => hasOwner(bus, systemdName, timeoutMs);

/** One property; `kind` is the last part of the interface, such as Unit. */
export async function systemdProperty(
  bus: Bus,
  path: string,
  kind: string,
  property: string,
  timeoutMs: number,
): Promise<unknown> {
  const place = { destination: systemdName, path, interface: `${systemdName}.${kind}` };
  return await getProperty(bus, place, property, timeoutMs);
}
