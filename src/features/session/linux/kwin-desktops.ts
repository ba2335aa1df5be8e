import type { Bus } from '@hostler/dbus/dbus.ts';
import { type BusValues, busValues } from '../../../host/linux/dbus/bus-properties.ts';
import { shownText } from '../../../lib/printable-text.ts';

interface FrontDesktop {
  /** From 1. */
  number: number;
  name: string | null;
  count: number;
}

const manager = {
  destination: 'org.kde.KWin',
  path: '/VirtualDesktopManager',
  interface: 'org.kde.KWin.VirtualDesktopManager',
};
const mostDesktops = 1000;
const mostCharacters = 64;

/** The virtual desktops of KWin over D-Bus; Wayland has no common protocol for them. `read` returns null without KWin. */
export function kwinDesktops(session: Bus): Pick<BusValues, 'watch'> & { read(): Promise<FrontDesktop | null> } {
  const { destination: sender, path, interface: name } = manager;
  const values = busValues(session, manager, {
    names: ['current', 'desktops'],
    // KWin has signals of its own for every change, and sends no PropertiesChanged.
    signals: [{ match: { sender, path, interface: name } }],
  });
  return {
    watch: values.watch,
    async read() {
      const found = await values.read();
      return found === null ? null : parseDesktops(found.get('desktops'), found.get('current'));
    },
  };
}

/** Each entry has a position, an id and a name. */
export function parseDesktops(desktops: unknown, current: unknown): FrontDesktop | null {
  const known = (Array.isArray(desktops) ? desktops.slice(0, mostDesktops) : [])
    .flatMap((entry: unknown) => {
      const [place, id, name] = Array.isArray(entry) ? entry : [];
      return typeof place === 'number' && typeof id === 'string' ? [{ place, id, name }] : [];
    })
    .sort((a, b) => a.place - b.place);
  const index = known.findIndex(({ id }) => id === current);
  if (index < 0) return null;
  const name = known[index]?.name;
  return {
    number: index + 1,
    name: typeof name === 'string' && name !== '' ? shownText(name, mostCharacters) : null,
    count: known.length,
  };
}
