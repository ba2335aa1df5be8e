import type { Bus } from '@hostler/dbus/dbus.ts';

export const systemdName = 'org.freedesktop.systemd1';

/** https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.systemd1.html */
export const systemdManager = {
  destination: systemdName,
  path: '/org/freedesktop/systemd1',
  interface: `${systemdName}.Manager`,
} as const;

export const busDaemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

/** Whether systemd is on this bus. A call to it would be an attempt to start it on buses that it does not manage. */
export async function isManaged(bus: Bus, timeoutMs: number): Promise<boolean> {
  const [runs] = await bus.call({
    ...busDaemon,
    member: 'NameHasOwner',
    signature: 's',
    body: [systemdName],
    timeoutMs,
  });
  return runs === true;
}

/** One property; `kind` is the last part of the interface, such as Unit. */
export async function systemdProperty(
  bus: Bus,
  path: string,
  kind: string,
  property: string,
  timeoutMs: number,
): Promise<unknown> {
  const [value] = await bus.call({
    destination: systemdName,
    path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: [`${systemdName}.${kind}`, property],
    timeoutMs,
  });
  return value;
}
