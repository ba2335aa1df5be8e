import type { Bus } from '@hostler/dbus/dbus.ts';
import { namedPlace } from '../../../host/linux/dbus/bus-properties.ts';

/** A screen locker on the session bus, for desktops that do not follow logind. */
export interface Screensaver {
  name: string;
  /** Rejects when it refuses, or has no such method. */
  lock(): Promise<void>;
  /** false also if it does not report its state. */
  isActive(): Promise<boolean>;
}

const bus = namedPlace('org.freedesktop.DBus');
const timeoutMs = 1500;

/** The desktop's own name before the generic one, which some take only to inhibit it. */
const known: { name: string; path: string; interface: string; wantsText?: boolean }[] = [
  { name: 'org.gnome.ScreenSaver', path: '/org/gnome/ScreenSaver', interface: 'org.gnome.ScreenSaver' },
  { name: 'org.kde.screensaver', path: '/ScreenSaver', interface: 'org.freedesktop.ScreenSaver' },
  { name: 'org.xfce.ScreenSaver', path: '/org/xfce/ScreenSaver', interface: 'org.xfce.ScreenSaver' },
  { name: 'org.mate.ScreenSaver', path: '/org/mate/ScreenSaver', interface: 'org.mate.ScreenSaver' },
  {
    name: 'org.cinnamon.ScreenSaver',
    path: '/org/cinnamon/ScreenSaver',
    interface: 'org.cinnamon.ScreenSaver',
    wantsText: true,
  },
  {
    name: 'org.freedesktop.ScreenSaver',
    path: '/org/freedesktop/ScreenSaver',
    interface: 'org.freedesktop.ScreenSaver',
  },
];

/** Running ones only; calling another could start it. */
export async function findScreensavers(session: Bus): Promise<Screensaver[]> {
  const names = await runningNames(session);
  return known
    .filter(({ name }) => names.has(name))
    .map(({ name, path, interface: iface, wantsText = false }) => {
      const call = { destination: name, path, interface: iface, timeoutMs };
      return {
        name,
        lock: async () =>
          void (await session.call({
            ...call,
            member: 'Lock',
            ...(wantsText ? { signature: 's', body: [''] } : {}),
          })),
        isActive: async () => {
          const [active] = await session.call({ ...call, member: 'GetActive', timeoutMs: 500 }).catch(() => [false]);
          return active === true;
        },
      };
    });
}

/** Names with an owner on a bus; none without a bus. */
export async function runningNames(session: Bus): Promise<Set<string>> {
  const [names] = await session.call({ ...bus, member: 'ListNames', timeoutMs }).catch(() => [[]]);
  return new Set(Array.isArray(names) ? names.map(String) : []);
}
